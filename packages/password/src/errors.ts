/**
 * Why a call was refused:
 * - `PASSWORD_MALFORMED`: not a text, empty, with a NUL character or a lone surrogate.
 * - `PASSWORD_TOO_LONG`: longer than the limit in UTF-8, or than the 72 bytes that bcrypt reads.
 * - `PASSWORD_OVERLOADED`: the queue is full; `retryAfterSeconds` is the time until the next try (503 and `Retry-After`).
 * - `PASSWORD_CLOSED`: the hasher was closed and takes no more work.
 * - `HASH_MALFORMED`: `wrapHash` was called with something that is no digest of the named algorithm.
 */
export type PasswordErrorCode =
  | 'PASSWORD_MALFORMED'
  | 'PASSWORD_TOO_LONG'
  | 'PASSWORD_OVERLOADED'
  | 'PASSWORD_CLOSED'
  | 'HASH_MALFORMED'

/**
 * A refusal of input, or of more work than there is room for. The code is the contract; the message states the rule and
 * never holds a password or a hash.
 *
 * @example
 * import { hashPassword, PasswordError } from '@latchkey/password'
 * try {
 *   await hashPassword('\0')
 * } catch (error) {
 *   if (error instanceof PasswordError) console.log(error.code) // 'PASSWORD_MALFORMED'
 * }
 */
export class PasswordError extends Error {
  override readonly name = 'PasswordError'
  readonly code: PasswordErrorCode
  /** Whole seconds after which there should be room again; `null` for every code but `PASSWORD_OVERLOADED`. */
  readonly retryAfterSeconds: number | null

  constructor(code: PasswordErrorCode, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}
