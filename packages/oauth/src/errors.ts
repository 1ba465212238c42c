/**
 * The reason of an `OAuthError`:
 *
 * - `OAUTH_CLIENT_INVALID`: the registration of a client breaks a rule, which the message states.
 * - `OAUTH_CLIENT_IN_USE`: a client has this id.
 * - `OAUTH_PROVIDER_UNAVAILABLE`: a provider is down, slow, redirects, or sends too large a response; there was no
 *   verdict.
 * - `OAUTH_PROVIDER_INVALID`: a provider's response violates the protocols; there was no verdict.
 * - `OAUTH_CLIENT_REJECTED`: a provider rejects the client: its credentials, address, or scopes.
 * - `OAUTH_RETURN_TO_INVALID`: `returnTo` of a sign-in is no path of this site, or too long.
 */
export type OAuthErrorCode =
  | 'OAUTH_CLIENT_INVALID'
  | 'OAUTH_CLIENT_IN_USE'
  | 'OAUTH_PROVIDER_UNAVAILABLE'
  | 'OAUTH_PROVIDER_INVALID'
  | 'OAUTH_CLIENT_REJECTED'
  | 'OAUTH_RETURN_TO_INVALID'

/**
 * Thrown if a client cannot be registered, or a provider's response allows no verdict. The `code` is the contract; the
 * message states the rule and never holds a secret. Refused requests are protocol responses and refused callbacks are
 * verdicts: neither is an error.
 *
 * @example
 * import { isOAuthError } from '@latchkey/oauth'
 * const isTaken = (error: unknown) => isOAuthError(error) && error.code === 'OAUTH_CLIENT_IN_USE'
 */
export class OAuthError extends Error {
  readonly code: OAuthErrorCode

  constructor(code: OAuthErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'OAuthError'
    this.code = code
  }
}

/**
 * Returns whether an error is an `OAuthError`, judged by name and code, so errors of another copy of this package
 * count.
 *
 * @example
 * import { isOAuthError } from '@latchkey/oauth'
 * const isRefused = (error: unknown) => isOAuthError(error) && error.code === 'OAUTH_CLIENT_INVALID'
 */
export function isOAuthError(error: unknown): error is OAuthError {
  return error instanceof Error && error.name === 'OAuthError' && /^OAUTH_[A-Z_]+$/.test((error as OAuthError).code)
}
