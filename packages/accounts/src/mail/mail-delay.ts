import { randomFraction } from '@latchkey/bytes/internal'

/** Returns a random time up to the longest delay, so that the work of a mail does not show in the times of requests. */
export function drawDelay(maximumMs: number): number {
  return Math.round(randomFraction() * maximumMs)
}
