import { deriveSecrets } from '@latchkey/bytes'
import { createForgeryCheck, type ForgeryCheck } from '@latchkey/http'
import type { JwtVerifier } from '@latchkey/jwt'
import type { MakeIdentity } from './account-session/credential-verifiers.ts'
import type { AccountsAndClients } from './accounts-and-clients.ts'
import { createIdentityReaders, type IdentityReaders } from './identity-readers.ts'
import type { ServicePlan } from './plan/service-plan.ts'
import { createAccessTokenVerifier } from './service-accounts.ts'
import type { ServiceFoundations } from './service-foundations.ts'

/** The readers of identities, and the check against forged requests. */
export interface RequestChecks extends IdentityReaders {
  readonly accessTokens: JwtVerifier
  readonly makeIdentity: MakeIdentity
  readonly forgery: ForgeryCheck
}

export function createRequestChecks(
  plan: ServicePlan,
  { secrets, keys, roles }: ServiceFoundations,
  { accounts, authorization }: AccountsAndClients,
): RequestChecks {
  const makeIdentity: MakeIdentity = (facts) => (roles ?? plan.policy).identify(facts)
  const accessTokens = createAccessTokenVerifier(plan, keys)
  return {
    accessTokens,
    makeIdentity,
    ...createIdentityReaders(plan, { accounts, accessTokens, makeIdentity, authorization }),
    forgery: createForgeryCheck({ origins: plan.base.origins, secrets: deriveSecrets(secrets, 'forgery') }),
  }
}
