/**
 * The reason of a `JwtError`:
 *
 * - `JWT_KEY_INVALID`: the material is not a valid key (not canonical base64url, wrong lengths, off the curve,
 *   private and public members of different keys).
 * - `JWT_KEY_MISMATCH`: the key is for another algorithm or use.
 * - `JWT_KEY_WEAK`: HMAC under 32 bytes, RSA under 2048 bits, an RSA exponent that is even or below 65537, an RSA key with
 *   the fingerprint of CVE-2017-15361.
 * - `JWT_KEY_UNREADABLE`: a stored key does not open with these secrets.
 * - `JWT_KEYS_UNAVAILABLE`: a remote key set is not available, or a key store loses its keys; there was no verdict.
 * - `JWT_ROTATION_TOO_EARLY`: the next key was not published for long enough; the ring is unchanged.
 * - `JWT_CLAIMS_TOO_LARGE`: the claims make a token of more than 8192 characters, which no verifier of this package accepts.
 */
export type JwtErrorCode =
  | 'JWT_KEY_INVALID'
  | 'JWT_KEY_MISMATCH'
  | 'JWT_KEY_WEAK'
  | 'JWT_KEY_UNREADABLE'
  | 'JWT_KEYS_UNAVAILABLE'
  | 'JWT_ROTATION_TOO_EARLY'
  | 'JWT_CLAIMS_TOO_LARGE'

/**
 * Thrown when a key is not valid, a key set is not available, or a token cannot be signed. The `code` is the contract;
 * the message states the rule and never holds a token or a key. A refused token is a verdict, not an error.
 *
 * @example
 * import { importJwtKey, isJwtError } from '@latchkey/jwt'
 * const bytes = new Uint8Array(16)
 * await importJwtKey({ id: '1', algorithm: 'HS256', bytes }).catch((error) => isJwtError(error) && error.code)
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

/**
 * Returns whether an error is a `JwtError`, judged by its name and code: also one of another copy of this package.
 *
 * @example
 * import { isJwtError } from '@latchkey/jwt'
 * const isOutage = (error: unknown) => isJwtError(error) && error.code === 'JWT_KEYS_UNAVAILABLE'
 */
export function isJwtError(error: unknown): error is JwtError {
  return error instanceof Error && error.name === 'JwtError' && /^JWT_[A-Z_]+$/.test((error as JwtError).code)
}
