/**
 * The reason of an `OAuthError`:
 *
 * - `OAUTH_CLIENT_INVALID`: what a client shall be registered with breaks a rule, which the message states.
 * - `OAUTH_CLIENT_IN_USE`: a client has this id.
 * - `OAUTH_PROVIDER_UNAVAILABLE`: a provider is down, slow, redirects, or answers too much; there was no verdict.
 * - `OAUTH_PROVIDER_INVALID`: a provider answers what the protocols do not allow; there was no verdict.
 * - `OAUTH_CLIENT_REJECTED`: a provider rejects the client: its credentials, address, or scopes.
 * - `OAUTH_RETURN_TO_INVALID`: where a user shall return to after a sign-in is no short path of this site.
 */
export type OAuthErrorCode =
  | 'OAUTH_CLIENT_INVALID'
  | 'OAUTH_CLIENT_IN_USE'
  | 'OAUTH_PROVIDER_UNAVAILABLE'
  | 'OAUTH_PROVIDER_INVALID'
  | 'OAUTH_CLIENT_REJECTED'
  | 'OAUTH_RETURN_TO_INVALID'

/**
 * Thrown when a client cannot be registered, or a provider sends no answer that can be judged. The `code` is the contract;
 * the message states the rule and never holds a secret. What a request is refused for is an answer of the protocol, and a
 * refused callback a verdict: neither is an error.
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
 * Returns whether an error is an `OAuthError`, judged by its name and code: also one of another copy of this package.
 *
 * @example
 * import { isOAuthError } from '@latchkey/oauth'
 * const isRefused = (error: unknown) => isOAuthError(error) && error.code === 'OAUTH_CLIENT_INVALID'
 */
export function isOAuthError(error: unknown): error is OAuthError {
  return error instanceof Error && error.name === 'OAuthError' && /^OAUTH_[A-Z_]+$/.test((error as OAuthError).code)
}
