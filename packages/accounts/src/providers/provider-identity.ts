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

const mostCharacters = 1024

/**
 * Returns an input that says who a user is at a provider.
 *
 * @throws TypeError when it is no verdict that is `ok`.
 */
export function checkProviderIdentity<Input extends ProviderIdentity>(input: Input): Input {
  const { issuer, subject, amr, sid, authenticatedAt, binding, ok = true } = input as Input & { readonly ok?: unknown }
  const isWhole =
    ok === true &&
    [issuer, subject].every(isName) &&
    Array.isArray(amr) &&
    [sid, binding].every((text) => text === null || isName(text)) &&
    (authenticatedAt === null || Number.isFinite(authenticatedAt))
  if (isWhole) return input
  throw new TypeError('what a provider says of a user must be a verdict of "finish" that is "ok"')
}

/**
 * Returns whether a value can name a provider, a user or a session there. Stores keep no NUL, and make one character of all
 * lone surrogates, so that two users would become one.
 */
export function isName(text: unknown): boolean {
  return typeof text === 'string' && text.length <= mostCharacters && /^[^\0\p{Cs}]+$/u.test(text)
}
