import type { AuthorizationParts } from '../options/authorization-server.ts'
import type { ServicePlan } from './service-plan.ts'

/** Returns the pages by which people answer clients. */
export function authorizationPages(_plan: ServicePlan): Pick<AuthorizationParts, 'pages' | 'errorPage' | 'logoutPage'> {
  return { pages: { signIn: '/sign-in', consent: '/consent', device: '/device' } }
}
