import type { Accounts } from '@latchkey/accounts'
import type { CredentialRequest } from '@latchkey/http/internal'
import type { VerifiedClaims } from '@latchkey/jwt'
import type { Identity, IdentityInput } from '@latchkey/rbac'
import type { ServiceAuthorizationServer } from '../../options/oauth/authorization-server.ts'
import type { ReadCredential } from '../account-session/renewable-credentials.ts'

export interface ClientTokensOptions {
  readonly server: Pick<ServiceAuthorizationServer, 'readAccessToken' | 'isAlive'>
  readonly accounts: Pick<Accounts, 'identifyToken'>
  readonly makeIdentity: (facts: IdentityInput | null) => Promise<Identity | null> | Identity | null
  readonly onRead: (identity: Identity, credential: ReadCredential) => void
}

/** Why the token of a request was refused. */
export type ClientTokenRefusal = Extract<
  Awaited<ReturnType<ServiceAuthorizationServer['readAccessToken']>>,
  { readonly ok: false }
>

/** Access tokens of the authorization server, at the resources of the service. */
export interface ClientTokens {
  /**
   * Returns what reads the token that a request presents at a resource: its identity, or `null`, as for a token for another
   * resource. The proof of a bound one is used up.
   *
   * @param resource its address.
   */
  readerAt(resource: string): (request: CredentialRequest) => Promise<Identity | null>
  /** Reads the token of an accepted request again, without a further proof, for open streams. */
  reread(request: CredentialRequest): Promise<Identity | null>
  /** Returns the claims of the token of a request that was accepted, or `null`: to end the token. */
  claimsOf(request: CredentialRequest): VerifiedClaims | null
  /** Returns why the token of a request was refused; `null`: it was not read, or accepted. */
  refusalOf(request: CredentialRequest): ClientTokenRefusal | null
}

interface Accepted {
  readonly claims: VerifiedClaims
  readonly keyBinding: string | null
  readonly firstParty: boolean
}

/** Reads tokens of clients. The roles are the account's current roles, limited to the scopes of the token. */
export function createClientTokens(options: ClientTokensOptions): ClientTokens {
  const { server, accounts, makeIdentity, onRead } = options
  const accepted = new WeakMap<CredentialRequest, Accepted>()
  const refused = new WeakMap<CredentialRequest, ClientTokenRefusal>()

  async function identify({ claims, keyBinding, firstParty }: Accepted): Promise<Identity | null> {
    const facts = await accounts.identifyToken(claims, { keyBinding })
    const identity = facts && (await makeIdentity({ ...facts, firstParty }))
    if (identity) {
      const isGranted = () => server.isAlive(claims, { mayBeExpired: true })
      onRead(identity, { expiresAt: claims.exp * 1000, lineage: facts.lineage, isGranted })
    }
    return identity
  }

  return {
    readerAt: (resource) => async (request) => {
      const { method, target, headers } = request
      if (method === undefined || target === undefined) return null
      const verdict = await server.readAccessToken({ method, target, headers }, { resource })
      if (!verdict.ok) {
        refused.set(request, verdict)
        return null
      }
      const { token, firstParty } = verdict
      const read = { claims: token.claims, keyBinding: token.keyBinding, firstParty }
      accepted.set(request, read)
      return identify(read)
    },
    async reread(request) {
      const presented = accepted.get(request)
      return presented && (await server.isAlive(presented.claims)) ? identify(presented) : null
    },
    claimsOf: (request) => accepted.get(request)?.claims ?? null,
    refusalOf: (request) => refused.get(request) ?? null,
  }
}

/** Revokes access tokens by their claims. */
export interface TokenEnder {
  endToken(claims: VerifiedClaims): Promise<void>
}

/** Returns a function that revokes the client token of a request. It returns `false` for any other credential. */
export function createClientTokenEnding(
  tokens: Pick<ClientTokens, 'claimsOf'> | null,
  ender: TokenEnder,
): (request: CredentialRequest) => Promise<boolean> {
  return async (request) => {
    const claims = tokens?.claimsOf(request) ?? null
    if (!claims) return false
    await ender.endToken(claims)
    return true
  }
}
