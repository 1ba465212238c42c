/**
 * Starts to measure a duration by a monotonic clock, which no correction of the time moves.
 *
 * @returns the function that returns the milliseconds since then, to a thousandth.
 */
export function startDuration(): () => number {
  const startedAt = performance.now()
  return () => Math.round((performance.now() - startedAt) * 1000) / 1000
}
