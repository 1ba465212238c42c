import type { Accounts } from '@latchkey/accounts'
import { AccessError, type AuthContext } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { ServiceCookies } from '../../options/sessions/service-cookies.ts'
import type { AccountSession } from './account-session.ts'
import type { Deliverer } from './deliverer.ts'
import type { PresentedCredentials } from './presented-credentials.ts'

/** The parts that start and stop an impersonation. */
export interface ImpersonationParts {
  readonly base: Pick<AuthContext<AnyPolicy>, 'authorize' | 'response'>
  /** Reads what else the request carried. */
  readonly read: () => PresentedCredentials
  readonly accounts: Pick<Accounts, 'startImpersonation' | 'endImpersonation'>
  readonly cookies: Pick<ServiceCookies, 'session'>
  readonly deliverer: Pick<Deliverer, 'impersonation'>
}

export async function startImpersonation(
  { base, read, accounts, deliverer }: ImpersonationParts,
  form: Parameters<AccountSession['startImpersonation']>[0],
): ReturnType<AccountSession['startImpersonation']> {
  const identity = base.authorize({ authenticated: true, firstParty: true })
  const started = await accounts.startImpersonation({ identity, ...form, attempt: read().attempt })
  if (!started) throw new AccessError('NOT_FOUND')
  const { account, credentials, expiresAt } = started
  return { account, expiresAt: new Date(expiresAt).toISOString(), ...deliverer.impersonation(credentials) }
}

/**
 * Stops an impersonation. The cookie is cleared only if it is the credential: with a bearer token it belongs to another
 * sign-in.
 */
export async function endImpersonation({ base, read, accounts, cookies }: ImpersonationParts): Promise<boolean> {
  const identity = base.authorize('authenticated')
  const isEnded = await accounts.endImpersonation({ identity, attempt: read().attempt })
  if (isEnded && identity.via === 'cookie') base.response.setCookie(cookies.session.clear())
  return isEnded
}
