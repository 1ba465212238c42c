/**
 * What a `JwtError` says:
 *
 * - `JWT_KEY_MALFORMED`: the material is no key of its kind (not canonical base64url, wrong lengths, off the curve, halves
 *   that do not belong together).
 * - `JWT_KEY_MISMATCH`: the key is for another algorithm or use.
 * - `JWT_KEY_WEAK`: HMAC under 32 bytes, RSA under 2048 bits, an RSA exponent that is even or below 65537.
 * - `JWT_KEY_UNREADABLE`: a stored key does not open under the given secrets.
 * - `JWT_KEYS_UNAVAILABLE`: a remote key set could not be had, or a key store does not keep its keys; there was no verdict.
 * - `JWT_TOO_LARGE`: the claims make a token of more than 8192 characters, which no verifier here would take.
 */
export type JwtErrorCode =
  | 'JWT_KEY_MALFORMED'
  | 'JWT_KEY_MISMATCH'
  | 'JWT_KEY_WEAK'
  | 'JWT_KEY_UNREADABLE'
  | 'JWT_KEYS_UNAVAILABLE'
  | 'JWT_TOO_LARGE'

/**
 * Is thrown when a key cannot be used, a key set cannot be had, or a token cannot be made. The `code` is the contract;
 * the message states the rule and never holds a token or key. A refused token is no error but a verdict.
 *
 * @example
 * import { importJwtKey, JwtError } from '@latchkey/jwt'
 * const bytes = new Uint8Array(16)
 * await importJwtKey({ id: '1', algorithm: 'HS256', bytes }).catch((error) => error instanceof JwtError && error.code)
 * // 'JWT_KEY_WEAK'
 */
export class JwtError extends Error {
  readonly code: JwtErrorCode

  constructor(code: JwtErrorCode, message: string, options?: ErrorOptions) {
    super(message, options)
    this.name = 'JwtError'
    this.code = code
  }
}
