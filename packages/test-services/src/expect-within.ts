import { expect } from 'vitest'

/** The time for which a test waits for a promised event, so that it can report a longer duration. */
export const patienceMs = 20_000

/**
 * Prints a duration, and fails if it exceeds the promise. Of several measurements the median counts.
 *
 * @param what for example `Redis killed: StoreError after`.
 * @param measured milliseconds; by `startStopwatch` if the machine may have other work.
 */
export function expectWithin(promisedMs: number, what: string, measured: number | readonly number[]): void {
  const times = typeof measured === 'number' ? [measured] : measured
  process.stdout.write(`  ${what} ${times.map((time) => time.toFixed(0)).join(', ')} ms\n`)
  expect(median(times), what).toBeLessThanOrEqual(promisedMs)
}

/** Returns the middle one of the numbers; of an even count, the greater one of the middle two. */
export function median(numbers: readonly number[]): number {
  const middle = numbers.toSorted((left, right) => left - right)[numbers.length >> 1]
  if (middle === undefined) throw new TypeError('"numbers" must have at least one')
  return middle
}
