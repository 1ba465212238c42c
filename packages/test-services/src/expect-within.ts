import { expect } from 'vitest'

/** Whether times are held to what is promised; a machine that does other things besides gets ten times as much. */
const isStrict = process.env.LATCHKEY_LONG === '1'

/** The bound by which a time is judged: what is promised with `LATCHKEY_LONG=1`, otherwise ten times that. */
export function boundFor(promisedMs: number): number {
  return isStrict ? promisedMs : promisedMs * 10
}

/**
 * Prints how long something took, and fails when that was too long by `boundFor`.
 *
 * @param what for example `Redis killed: StoreError after`.
 */
export function expectWithin(promisedMs: number, what: string, milliseconds: number): void {
  process.stdout.write(`  ${what} ${milliseconds.toFixed(0)} ms\n`)
  expect(milliseconds, what).toBeLessThan(boundFor(promisedMs))
}
