import type { Accounts } from '@latchkey/accounts'
import type { CredentialUse } from '@latchkey/accounts/internal'
import type { CredentialRequest } from '@latchkey/http/internal'
import type { JwtVerifier } from '@latchkey/jwt'
import type { Identity, IdentityInput } from '@latchkey/rbac'
import type { ReadCredential } from './renewable-credentials.ts'

/**
 * Makes an identity with the current roles; without a promise if roles cannot change. Rejects if the roles cannot be
 * read: an outage is not a refusal.
 */
export type MakeIdentity = (facts: IdentityInput | null) => Promise<Identity | null> | Identity | null

export interface CredentialVerifiersOptions {
  readonly accounts: Accounts
  readonly makeIdentity: MakeIdentity
  readonly accessTokens: JwtVerifier
  /** Called with each identity that was read, and its credential. */
  readonly onRead?: (identity: Identity, credential: ReadCredential) => void
}

/**
 * Returns the identity of a credential, or `null` if it is not accepted. Errors of stores pass through: an outage does
 * not sign out a user.
 */
export interface CredentialVerifiers {
  /** The credential of a session cookie. It counts as a use of the session. */
  session(credential: string, request: CredentialRequest): Promise<Identity | null>
  /** Like `session`, for checks without a request: it does not count as a use. */
  sessionUnused(credential: string): Promise<Identity | null>
  /** An access token of this service. It becomes invalid with its session, or by a change of the account. */
  token(token: string): Promise<Identity | null>
}

type Facts = NonNullable<Awaited<ReturnType<Accounts['identifyToken']>>>

/**
 * Reads roles, status and epoch from the account for every request, so that a change takes effect on the next request.
 */
export function createCredentialVerifiers(options: CredentialVerifiersOptions): CredentialVerifiers {
  const { accounts, makeIdentity, accessTokens, onRead } = options
  const note = (identity: Identity | null, { lineage }: Facts, expiresAt: number): Identity | null => {
    if (identity) onRead?.(identity, { expiresAt, lineage })
    return identity
  }
  const identify = (facts: Facts, expiresAt: number): ReturnType<MakeIdentity> => {
    const made = makeIdentity(facts)
    return made instanceof Promise
      ? made.then((identity) => note(identity, facts, expiresAt))
      : note(made, facts, expiresAt)
  }
  const verifySession = async (credential: string, use: CredentialUse): Promise<Identity | null> => {
    const found = await accounts.identifyCredential(credential, use)
    return found && identify(found.facts, found.session.expiresAt)
  }
  return {
    session: (credential, request) => verifySession(credential, request),
    sessionUnused: (credential) => verifySession(credential, { isUse: false }),
    async token(token) {
      const verdict = await accessTokens.verify(token)
      if (!verdict.ok) return null
      const facts = await accounts.identifyToken(verdict.claims)
      return facts && identify(facts, verdict.claims.exp * 1000)
    },
  }
}
