/**
 * The reason of an outage:
 * - `STORE_UNAVAILABLE`: the backend cannot be reached, failed, or did not answer before the deadline.
 * - `STORE_NOT_MIGRATED`: its tables are missing or older than this version of the code.
 * - `STORE_TOO_NEW`: its tables were created by a newer version of the code.
 * - `STORE_DATA_NEWER`: the value was written by a newer version of the code.
 * - `STORE_DATA_INVALID`: the stored value is not valid.
 * - `STORE_DATA_OLDER`: the value cannot be written before `latchkey migrate --finish`.
 */
export type StoreErrorCode =
  | 'STORE_UNAVAILABLE'
  | 'STORE_NOT_MIGRATED'
  | 'STORE_TOO_NEW'
  | 'STORE_DATA_NEWER'
  | 'STORE_DATA_INVALID'
  | 'STORE_DATA_OLDER'

/**
 * Thrown if infrastructure failed. It says nothing about the requested record; a service answers 503. `cause` is the
 * driver's own error.
 *
 * @example
 * import { StoreError } from '@latchkey/store'
 * throw new StoreError('STORE_UNAVAILABLE', 'the database did not answer within 250 ms', { cause: new Error('busy') })
 */
export class StoreError extends Error {
  override readonly name = 'StoreError'
  readonly code: StoreErrorCode

  constructor(code: StoreErrorCode, message: string, options?: { readonly cause?: unknown }) {
    super(message, options)
    this.code = code
  }
}

/**
 * Returns whether an error is a `StoreError`, judged by its code: also one of another copy or version of this package,
 * where `instanceof` would take an outage for a fault of the program.
 *
 * @example
 * import { isStoreError } from '@latchkey/store'
 * const statusOf = (error: unknown) => (isStoreError(error) ? 503 : 500)
 */
export function isStoreError(error: unknown): error is StoreError {
  const { code } = error instanceof Error ? (error as { readonly code?: unknown }) : {}
  return typeof code === 'string' && /^STORE_[A-Z_]+$/.test(code)
}
