const longest = 31_536_000

/**
 * Gives the seconds of a `Retry-After` (RFC 9110 §10.2.3): whole, from 1 to a year; `null` for what is no number of
 * seconds. What names them may come from outside, a store or an application.
 */
export function toRetryAfter(seconds: unknown): number | null {
  if (typeof seconds !== 'number' || !Number.isFinite(seconds)) return null
  return Math.min(Math.max(1, Math.ceil(seconds)), longest)
}
