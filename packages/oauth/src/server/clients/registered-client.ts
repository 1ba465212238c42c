/** A client as requests are judged by. Every rule of registration holds for it. */
export interface RegisteredClient {
  /** Its `client_id`. Never that of an account, and never `first-party`. */
  readonly id: string
  /** What users read on the consent page. */
  readonly name: string
  /** `native`: the port of its redirects to 127.0.0.1, [::1] and localhost may differ from the registered one (RFC 8252 §7.3). */
  readonly kind: 'web' | 'native'
  /** One of these authenticates a request. `none`, for a public client, and `private_key_jwt` stand alone. */
  readonly authentication: readonly ('none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt')[]
  /** SHA-256 of its secrets in base64url: several while one takes the place of another. */
  readonly secretHashes: readonly string[]
  /** The keys of `private_key_jwt`; `null`: none. */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null
  /** What it may ask for tokens with (RFC 6749, RFC 8628). */
  readonly grantTypes: readonly (
    | 'authorization_code'
    | 'refresh_token'
    | 'client_credentials'
    | 'urn:ietf:params:oauth:grant-type:device_code'
  )[]
  readonly redirectUris: readonly string[]
  /** Where a browser may go after logout. */
  readonly postLogoutRedirectUris: readonly string[]
  /**
   * Where it is told that a session has ended of which it has id tokens (OpenID Connect Back-Channel Logout 1.0 §2.2); `null`: it is
   * not told.
   */
  readonly backchannelLogoutUri: string | null
  /** The algorithm of its id tokens and logout tokens; `null`: the default of the server. */
  readonly idTokenSignedResponseAlg: 'ES256' | 'EdDSA' | 'RS256' | 'PS256' | null
  /** What it may ask for. */
  readonly scopes: readonly string[]
  /** Whether it belongs to the service: it needs a DPoP proof for its tokens, and where it has a site no consent. */
  readonly firstParty: boolean
  /** A disabled client is unknown to every endpoint, and nothing that it was given opens anything. */
  readonly isDisabled: boolean
  /** Epoch milliseconds; 0: written in code. */
  readonly createdAt: number
}

/** How a client shows at the token endpoint that it is itself (OpenID Connect Core §9). */
export type ClientAuthentication = RegisteredClient['authentication'][number]
export type GrantType = RegisteredClient['grantTypes'][number]

/** Whether a client cannot keep a secret (RFC 6749 §2.1). */
export function isPublicClient({ authentication }: Pick<RegisteredClient, 'authentication'>): boolean {
  return authentication.includes('none')
}
