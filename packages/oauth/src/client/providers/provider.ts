/** Signatures of id tokens: asymmetric ones only, because who can verify another one can make it. */
export type IdTokenAlgorithm =
  | 'RS256'
  | 'RS384'
  | 'RS512'
  | 'PS256'
  | 'PS384'
  | 'PS512'
  | 'ES256'
  | 'ES384'
  | 'ES512'
  | 'EdDSA'
  | 'Ed25519'

/** What every provider says of itself, whichever protocol it has. */
export interface AnyProvider {
  /** How events, verdicts and cookies name it: lower-case letters, digits and hyphens. */
  readonly name: string
  /** The `iss` of its identities, byte for byte. */
  readonly issuer: string
  /** What is asked for where the client names no scopes. */
  readonly scopes: readonly string[]
  /** Further parameters of authorization requests. @default {} */
  readonly parameters?: Readonly<Record<string, string>>
  /** What a client with `offline` asks for besides, to get a refresh token. @default nothing */
  readonly offline?: { readonly scopes?: readonly string[]; readonly parameters?: Readonly<Record<string, string>> }
  /** Where the provider expects the secret of a client. @default as its metadata say, `header` where both are possible */
  readonly clientSecretIn?: 'header' | 'form'
  /** Makes the secret out of the private key of the client, instead of an assertion (RFC 7523). */
  readonly clientSecretOf?: (input: ClientSecretInput) => Promise<string>
  /** `form_post`: it posts its answers across sites. @default as a query */
  readonly responseMode?: 'form_post'
  /** Codes of its own in refusals, and those of the specifications that they stand for. @default {} */
  readonly errorCodes?: Readonly<Record<string, string>>
}

/** What a secret is made of. */
export interface ClientSecretInput {
  readonly clientId: string
  readonly privateKey: PrivateKey
  /** Epoch seconds. */
  readonly now: number
}

/** The type `CryptoKey`, which Node.js and browsers declare in different places. */
export type WebCryptoKey = Awaited<ReturnType<typeof crypto.subtle.importKey>>

/** A private key of a client. */
export interface PrivateKey {
  /** Its `kid` at the provider. */
  readonly id: string
  /** A `CryptoKey` of Web Crypto, for `sign`. It need not be extractable. */
  readonly key: WebCryptoKey
}

/** A provider of OpenID Connect: its endpoints are discovered, and an id token says who a user is. */
export interface OpenIdProvider extends AnyProvider {
  readonly protocol: 'openid'
  /** The accepted signatures of id tokens. No other is tried, whatever a token names. */
  readonly idTokenAlgorithms: readonly [IdTokenAlgorithm, ...IdTokenAlgorithm[]]
  /** The `issuer` of its metadata where that is a template. @default `issuer` */
  readonly announcedIssuer?: string
  /** Returns what `iss` must be in an id token with these claims, where it is not always `issuer`; `null`: nothing is right. */
  readonly issuerOf?: (claims: Readonly<Record<string, unknown>>) => string | null
  /** Returns whether the provider has verified the address `email`. @default `email_verified` is `true` */
  readonly isEmailVerified?: (claims: Readonly<Record<string, unknown>>) => boolean
}

/** A provider of OAuth 2.0 alone: its endpoints are fixed, and an API says who a user is. */
export interface OAuthProvider extends AnyProvider {
  readonly protocol: 'oauth'
  readonly endpoints: {
    readonly authorization: string
    readonly token: string
    readonly revocation?: string
  }
  /** What is asked for a user, in this order, with the access token. */
  readonly userEndpoints: readonly [string, ...string[]]
  /** Returns who the user is by the answers of `userEndpoints`; `null`: they do not say it. */
  readonly readUser: (answers: readonly unknown[]) => ProviderUser | null
}

/** Who a user is at a provider of OAuth 2.0. */
export interface ProviderUser {
  /** Never used again for another user: an id, not a name. */
  readonly subject: string
  readonly name: string | null
  /** An address that the provider has verified, or `null`. */
  readonly verifiedEmail: string | null
}

/** Who signs users in for a client, as data: presets are values of this type, and an application can write its own. */
export type Provider = OpenIdProvider | OAuthProvider
