/** A provider that signs users in for a client, as data. Presets are values of this type, and an application can write its own. */
export type Provider = {
  /** The provider's name in events, verdicts and cookies: lower-case letters, digits and hyphens. */
  readonly name: string
  /** The `iss` of the provider's identities, byte for byte. */
  readonly issuer: string
  /** The scopes of a client without `scopes`. */
  readonly scopes: readonly string[]
  /** Additional parameters of authorization requests. @default {} */
  readonly parameters?: Readonly<Record<string, string>>
  /** Additional scopes and parameters of a client with `offline`, which request a refresh token. @default none */
  readonly offline?: { readonly scopes?: readonly string[]; readonly parameters?: Readonly<Record<string, string>> }
  /** The place of the client's secret in token requests. @default from the metadata; `header` if both are supported */
  readonly clientSecretIn?: 'header' | 'form'
  /** Creates the client's secret from its private key, instead of an assertion (RFC 7523). */
  readonly clientSecretOf?: (input: {
    readonly clientId: string
    readonly privateKey: {
      /** Its `kid` at the provider. */
      readonly id: string
      /** A `CryptoKey` of Web Crypto, for `sign`. It need not be extractable. */
      readonly key: Awaited<ReturnType<typeof crypto.subtle.importKey>>
    }
    /** Epoch seconds. */
    readonly now: number
  }) => Promise<string>
  /** `form_post`: the provider posts its answers across sites. @default the query */
  readonly responseMode?: 'form_post'
  /** Maps the provider's own error codes to codes of the specifications. @default {} */
  readonly errorCodes?: Readonly<Record<string, string>>
} & (
  | {
      /** The endpoints are discovered, and an id token identifies the user. */
      readonly protocol: 'openid'
      /**
       * The accepted signature algorithms of id tokens, at least one. The token's header cannot select another
       * algorithm. Symmetric algorithms are not available, because the client could sign such tokens as well.
       */
      readonly idTokenAlgorithms: readonly (
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
      )[]
      /** The `issuer` in the metadata, if it is a template. @default `issuer` */
      readonly announcedIssuer?: string
      /**
       * Returns the required `iss` of an id token with these claims, if it may differ from `issuer`; `null`: no issuer
       * is valid.
       */
      readonly issuerOf?: (claims: Readonly<Record<string, unknown>>) => string | null
      /** Returns whether the provider has verified the claim `email`. @default `email_verified` is `true` */
      readonly isEmailVerified?: (claims: Readonly<Record<string, unknown>>) => boolean
    }
  | {
      /** OAuth 2.0 without OpenID Connect: the endpoints are fixed, and an API identifies the user. */
      readonly protocol: 'oauth'
      readonly endpoints: {
        readonly authorization: string
        readonly token: string
        readonly revocation?: string
      }
      /** The URLs that are read with the access token, in this order, to identify the user. */
      readonly userEndpoints: readonly [string, ...string[]]
      /** Returns the user from the responses of `userEndpoints`; `null`: the responses name no user. */
      readonly readUser: (answers: readonly unknown[]) => {
        /** A permanent id that is never reassigned to another user. Not a name. */
        readonly subject: string
        readonly name: string | null
        /** An address that the provider has verified, or `null`. */
        readonly verifiedEmail: string | null
      } | null
    }
)
