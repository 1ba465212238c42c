/**
 * The reason of an `OAuthError`:
 *
 * - `OAUTH_CLIENT_INVALID`: what a client shall be registered with breaks a rule, which the message states.
 * - `OAUTH_CLIENT_EXISTS`: a client has this id.
 */
export type OAuthErrorCode = 'OAUTH_CLIENT_INVALID' | 'OAUTH_CLIENT_EXISTS'

/**
 * Thrown when a client cannot be registered. The `code` is the contract; the message states the rule and never holds a
 * secret. What a request is refused for is an answer of the protocol, not an error.
 *
 * @example
 * import { isOAuthError } from '@latchkey/oauth'
 * const isTaken = (error: unknown) => isOAuthError(error) && error.code === 'OAUTH_CLIENT_EXISTS'
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
