/**
 * The identity of a user at a provider: the `ok` verdict of `finish` of `createOAuthClient` from
 * `@latchkey/oauth/client`. The use cases trust it without a check, so pass no other data.
 */
export interface ProviderIdentity {
  /** The provider's `iss`, byte for byte. */
  readonly issuer: string
  /** The provider's `sub`. */
  readonly subject: string
  /**
   * The provider's claims about the user. A new account takes its name from them, and a logout at the provider since
   * `iat` rejects the sign-in.
   */
  readonly claims?: Readonly<Record<string, unknown>>
  /** An address, or `null`. */
  readonly email: string | null
  /** Whether the provider has verified that the address is the user's. */
  readonly emailVerified: boolean
  /** The authentication methods at the provider (RFC 8176). They count for issuers in `trustedAmr` only. */
  readonly amr: readonly string[]
  /** The session at the provider; `null`: it names none. */
  readonly sid: string | null
  /** When the user signed in at the provider, epoch milliseconds; `null`: it does not say it. */
  readonly authenticatedAt: number | null
  /**
   * The text that was passed to `begin`: `null` for a sign-in; `link:` or `confirm:` and the key of the session for a
   * signed-in user.
   */
  readonly binding: string | null
}
