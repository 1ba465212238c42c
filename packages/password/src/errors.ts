/**
 * The reason of a refusal:
 * - `PASSWORD_INVALID`: not a text, empty, with a NUL character or a lone surrogate.
 * - `PASSWORD_TOO_LONG`: longer than the limit in UTF-8, or than the 72 bytes that bcrypt reads.
 * - `PASSWORD_HASHER_UNAVAILABLE`: the queue is full; `retryAfterSeconds` is the time until the next try (503 and `Retry-After`).
 * - `PASSWORD_HASHER_CLOSED`: the hasher was closed and accepts no further passwords.
 * - `PASSWORD_HASH_INVALID`: `wrapHash` was called with a text that is not a digest of the named algorithm.
 */
export type PasswordErrorCode =
  | 'PASSWORD_INVALID'
  | 'PASSWORD_TOO_LONG'
  | 'PASSWORD_HASHER_UNAVAILABLE'
  | 'PASSWORD_HASHER_CLOSED'
  | 'PASSWORD_HASH_INVALID'

/**
 * A refusal of input, or of more work than there is room for. The code is the contract; the message states the rule and
 * never holds a password or a hash.
 *
 * @example
 * import { hashPassword, isPasswordError } from '@latchkey/password'
 * try {
 *   await hashPassword('\0')
 * } catch (error) {
 *   if (isPasswordError(error)) console.log(error.code) // 'PASSWORD_INVALID'
 * }
 */
export class PasswordError extends Error {
  override readonly name = 'PasswordError'
  readonly code: PasswordErrorCode
  /** Whole seconds after which there should be room again; `null` for every code but `PASSWORD_HASHER_UNAVAILABLE`. */
  readonly retryAfterSeconds: number | null

  constructor(code: PasswordErrorCode, message: string, retryAfterSeconds: number | null = null) {
    super(message)
    this.code = code
    this.retryAfterSeconds = retryAfterSeconds
  }
}

const codes: ReadonlySet<unknown> = new Set<PasswordErrorCode>([
  'PASSWORD_INVALID',
  'PASSWORD_TOO_LONG',
  'PASSWORD_HASHER_UNAVAILABLE',
  'PASSWORD_HASHER_CLOSED',
  'PASSWORD_HASH_INVALID',
])

/**
 * Returns whether an error is a `PasswordError`, judged by its code: also one of another copy of this package.
 *
 * @example
 * import { isPasswordError } from '@latchkey/password'
 * const isOverloaded = (error: unknown) => isPasswordError(error) && error.code === 'PASSWORD_HASHER_UNAVAILABLE'
 */
export function isPasswordError(error: unknown): error is PasswordError {
  return error instanceof Error && codes.has((error as { readonly code?: unknown }).code)
}
