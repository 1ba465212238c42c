import type { Accounts } from '@latchkey/accounts'
import type { JwtVerifier } from '@latchkey/jwt'
import type { Identity, IdentityInput } from '@latchkey/rbac'
import type { Session, Sessions } from '@latchkey/sessions'

/** What makes identities of a service. */
export interface IdentityMaker {
  /** Rejects where the roles could not be read: an outage is not an ordinary no. */
  identify(input: IdentityInput | null): Promise<Identity | null>
}

export interface IdentificationOptions {
  readonly accounts: Accounts
  readonly identities: IdentityMaker
  readonly sessions: Sessions
  readonly accessTokens: JwtVerifier
}

/** Whose a credential is. What a store throws passes through: an outage is not an anonymous visitor. */
export interface Identification {
  /** By the credential of a session cookie. */
  bySession(credential: string): Promise<Identity | null>
  /** The same, for a look that nobody asked for: it keeps no session alive. */
  bySessionUnused(credential: string): Promise<Identity | null>
  /** By an access token of this service. It dies with the session that it belongs to, and with a change of the account. */
  byToken(token: string): Promise<Identity | null>
  /** When what an identity came by reaches its end, epoch milliseconds. */
  expiresAt(identity: Identity): number | null
}

/**
 * Gives the verdict "who is it?". Roles, status and epoch are read from the account on every request, so a change takes
 * effect on the next one.
 */
export function createIdentification(options: IdentificationOptions): Identification {
  const { accounts, identities, sessions, accessTokens } = options
  const ends = new WeakMap<Identity, number>()
  const remember = (identity: Identity | null, endsAt: number): Identity | null => {
    if (identity) ends.set(identity, endsAt)
    return identity
  }
  const ofSession = async (session: Session | null): Promise<Identity | null> =>
    remember(await identities.identify(await accounts.identifySession(session)), session?.expiresAt ?? 0)
  return {
    bySession: async (credential) => ofSession(await sessions.read(credential)),
    bySessionUnused: async (credential) => ofSession(await sessions.peek(credential)),
    async byToken(token) {
      const verdict = await accessTokens.verify(token)
      if (!verdict.ok) return null
      const facts = await accounts.identifyToken(verdict.claims)
      return remember(await identities.identify(facts), verdict.claims.exp * 1000)
    },
    expiresAt: (identity) => ends.get(identity) ?? null,
  }
}
