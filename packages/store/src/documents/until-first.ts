import { randomFraction } from '@latchkey/bytes/internal'
import { pause } from '@latchkey/core/internal'
import { StoreError } from '../errors.ts'

/** Each lost round is a change by another caller. */
const rounds = 64

/** Another caller was faster. */
export const overtaken: unique symbol = Symbol('overtaken')

/**
 * Tries until no other caller was faster.
 *
 * @throws StoreError `STORE_UNAVAILABLE` if others keep changing what is tried.
 */
export async function untilFirst<Result>(attempt: () => Promise<Result | typeof overtaken>): Promise<Result> {
  for (let round = 0; round < rounds; round++) {
    const result = await attempt()
    if (result !== overtaken) return result
    // Callers in step with each other would undo each other's work for ever.
    await pause(randomFraction() * Math.min(2 ** round, 32))
  }
  throw new StoreError('STORE_UNAVAILABLE', 'other callers keep changing this document: nothing was stored, try again')
}
