/**
 * Why a store gave no answer:
 * - `STORE_UNAVAILABLE`: the backend cannot be reached, failed, or did not answer before the deadline.
 * - `STORE_NOT_MIGRATED`: its tables are missing or older than this version of the code.
 * - `STORE_TOO_NEW`: its tables were made by a newer version of the code.
 */
export type StoreErrorCode = 'STORE_UNAVAILABLE' | 'STORE_NOT_MIGRATED' | 'STORE_TOO_NEW'

/**
 * There was no answer: infrastructure failed, and nothing may be concluded about the thing that was asked for. A
 * service answers 503. The driver's own error stands in `cause`.
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
