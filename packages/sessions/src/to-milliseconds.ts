/**
 * Returns a duration option in milliseconds.
 *
 * @throws TypeError naming the option.
 */
export function toMilliseconds(name: string, seconds: number, bounds: { min?: number; max?: number } = {}): number {
  const { min = 0.001, max = 3_153_600_000 } = bounds
  if (typeof seconds === 'number' && seconds >= min && seconds <= max) return Math.round(seconds * 1000)
  throw new TypeError(`"${name}" must be a number of seconds from ${min} to ${max}`)
}
