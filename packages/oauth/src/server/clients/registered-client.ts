/** A client that has passed every rule of registration. */
export interface RegisteredClient {
  /** The `client_id`. It does not start with `acc_`, and is not `first-party`. For an unregistered client, a URL. */
  readonly id: string
  /** The name on the consent page. */
  readonly name: string
  /** `native`: the port of its redirects to 127.0.0.1, [::1] and localhost may differ from the registered one (RFC 8252 §7.3). */
  readonly kind: 'web' | 'native'
  /** The methods of authentication. `none`, for a public client, and `private_key_jwt` cannot be combined with others. */
  readonly authentication: readonly ('none' | 'client_secret_basic' | 'client_secret_post' | 'private_key_jwt')[]
  /** The SHA-256 hashes of the secrets in base64url; several while a new secret replaces an old one. */
  readonly secretHashes: readonly string[]
  /** The keys of `private_key_jwt`; `null`: none. */
  readonly jwks: { readonly keys: readonly Readonly<Record<string, unknown>>[] } | null
  /** The grants that the client may use at the token endpoint (RFC 6749, RFC 8628). */
  readonly grantTypes: readonly (
    | 'authorization_code'
    | 'refresh_token'
    | 'client_credentials'
    | 'urn:ietf:params:oauth:grant-type:device_code'
  )[]
  readonly redirectUris: readonly string[]
  /** The permitted redirects after a logout. */
  readonly postLogoutRedirectUris: readonly string[]
  /**
   * The URL that receives logout tokens (OpenID Connect Back-Channel Logout 1.0 §2.2); `null`: the client is not notified.
   */
  readonly backchannelLogoutUri: string | null
  /** The algorithm of the client's id tokens and logout tokens; `null`: the default of the server. */
  readonly idTokenSignedResponseAlg: 'ES256' | 'EdDSA' | 'RS256' | 'PS256' | null
  /** The scopes that the client may request. */
  readonly scopes: readonly string[]
  /** Whether the client belongs to the service. It needs DPoP proofs, and no consent if its redirect is a website. */
  readonly firstParty: boolean
  /** Every endpoint treats a disabled client as unknown and refuses its tokens. */
  readonly isDisabled: boolean
  /** The time of the registration, in epoch milliseconds; 0: the client is written in code, or not registered. */
  readonly createdAt: number
}

/** A method of client authentication (OpenID Connect Core §9). */
export type ClientAuthentication = RegisteredClient['authentication'][number]
export type GrantType = RegisteredClient['grantTypes'][number]

/** Whether a client cannot keep a secret (RFC 6749 §2.1). */
export function isPublicClient({ authentication }: Pick<RegisteredClient, 'authentication'>): boolean {
  return authentication.includes('none')
}
