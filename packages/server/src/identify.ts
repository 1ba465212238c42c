import type { Accounts } from '@latchkey/accounts'
import type { JwtVerifier } from '@latchkey/jwt'
import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { Sessions } from '@latchkey/sessions'

export interface IdentificationOptions {
  readonly accounts: Accounts
  readonly policy: AnyPolicy
  readonly sessions: Sessions
  readonly accessTokens: JwtVerifier
}

/** Whose a credential is. What a store throws passes through: an outage is not an anonymous visitor. */
export interface Identification {
  /** By the credential of a session cookie. */
  bySession(credential: string): Promise<Identity | null>
  /** By an access token of this service. It dies with the session that it belongs to, and with a change of the account. */
  byToken(token: string): Promise<Identity | null>
}

/**
 * Gives the verdict "who is it?". Roles, status and epoch are read from the account on every request, so a change takes
 * effect on the next one.
 */
export function createIdentification(options: IdentificationOptions): Identification {
  const { accounts, policy, sessions, accessTokens } = options
  return {
    async bySession(credential) {
      return policy.identify(await accounts.identifySession(await sessions.read(credential)))
    },
    async byToken(token) {
      const verdict = await accessTokens.verify(token)
      return policy.identify(verdict.ok ? await accounts.identifyToken(verdict.claims) : null)
    },
  }
}
