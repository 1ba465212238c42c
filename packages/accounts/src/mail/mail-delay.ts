import { randomBytes } from '@latchkey/bytes'

/** Returns a random time up to the longest delay, so that the work of a mail does not show in the times of requests. */
export function drawDelay(maximumMs: number): number {
  const [high = 0, low = 0] = randomBytes(2)
  return Math.round(((256 * high + low) / 65_535) * maximumMs)
}
