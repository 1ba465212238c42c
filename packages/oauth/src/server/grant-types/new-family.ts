import type { RefreshTokens } from '@latchkey/sessions'
import type { FactorProof } from '@latchkey/store'
import type { ServerContext } from '../context/server-context.ts'

/** The channel of the tokens of clients: families of different channels do not replace one another. */
export const channel = 'oauth'

/** The stored consent of a user in a code or a device code. */
export interface Allowed {
  readonly accountId: string
  readonly grantId: string
  readonly sessionKey: string
  readonly epoch: number
  readonly factors: readonly FactorProof[]
  readonly authenticatedAt: number
  readonly scopes: readonly string[]
  readonly resources: readonly string[]
}

/** Whether the allowed scopes include a refresh token, which outlives the session (OpenID Connect Core §11). */
function isOffline(scopes: readonly string[]): boolean {
  return scopes.includes('offline_access')
}

/** Whether the allowed scopes include a refresh token that expires with the session. */
export function isOnline(scopes: readonly string[]): boolean {
  return scopes.includes('online_access')
}

export function isRefreshable(scopes: readonly string[]): boolean {
  return isOffline(scopes) || isOnline(scopes)
}

/**
 * Returns the family of all tokens of a grant, by which they can be revoked. Without `offline_access` it expires with the
 * browser's session, and without a refresh token at the latest with its only access token.
 */
export function newFamily(
  { now, accessTokenSeconds }: ServerContext,
  clientId: string,
  keyBinding: string | null,
  allowed: Allowed,
): Parameters<RefreshTokens['issue']>[0] {
  const { accountId, grantId, sessionKey, epoch, factors, authenticatedAt, scopes, resources } = allowed
  const proven = { factors, authenticatedAt }
  const granted = { scopes, grant: grantId, keyBinding, resources }
  const given = { subject: accountId, epoch, clientId, channel, ...proven, ...granted }
  if (isOffline(scopes)) return given
  if (isOnline(scopes)) return { ...given, session: sessionKey }
  return { ...given, session: sessionKey, endsAt: now() + (accessTokenSeconds + toleranceSeconds) * 1000 }
}

/** The time for which a verifier may accept an expired token. */
const toleranceSeconds = 5
