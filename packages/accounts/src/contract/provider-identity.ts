/**
 * Who a user is at a provider: what a verdict of `finish` says, of `createOAuthClient` of `@latchkey/oauth/client`, where it is
 * `ok`. Nothing else may be passed: it is believed.
 */
export interface ProviderIdentity {
  /** The provider's `iss`, byte for byte. */
  readonly issuer: string
  /** The provider's `sub`. */
  readonly subject: string
  /** All that the provider says of the user: a new account is called as they are, and a logout there since `iat` ends the sign-in. */
  readonly claims?: Readonly<Record<string, unknown>>
  /** An address, or `null`. */
  readonly email: string | null
  /** Whether the provider has verified that the address is the user's. */
  readonly emailVerified: boolean
  /** What was proven at the provider (RFC 8176). It counts for issuers of `trustedAmr` only. */
  readonly amr: readonly string[]
  /** The session at the provider; `null`: it names none. */
  readonly sid: string | null
  /** When the user signed in at the provider, epoch milliseconds; `null`: it does not say it. */
  readonly authenticatedAt: number | null
  /**
   * The text that was given to `begin`: `null` for a sign-in, `link:` or `confirm:` and the key of the session for what the signed-in
   * user does.
   */
  readonly binding: string | null
}
