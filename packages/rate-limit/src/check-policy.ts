import type { RateLimitPolicy } from './verdict.ts'

/** Also what a string of a structured field may hold without an escape (RFC 9651 §3.3.3). */
const nameFormat = /^[a-z][a-z0-9-]{0,63}$/

/** @throws TypeError that names the member which is not valid. */
export function checkPolicy(policy: RateLimitPolicy): RateLimitPolicy {
  const { name, limit, windowSeconds } = policy
  if (typeof name !== 'string' || !nameFormat.test(name)) {
    throw new TypeError('"name" must be of lower-case letters, digits and "-", at most 64 of them')
  }
  if (!(Number.isSafeInteger(limit) && limit >= 1)) throw new TypeError('"limit" must be a whole number of at least 1')
  checkSeconds('windowSeconds', windowSeconds, 1)
  return Object.freeze(policy)
}

/** The longest that a counter is kept: a year. */
const longest = 31_536_000

/** @throws TypeError when it is not a whole number of seconds of at least `least`. */
export function checkSeconds(option: string, seconds: number, least: number): void {
  if (Number.isSafeInteger(seconds) && seconds >= least && seconds <= longest) return
  throw new TypeError(`"${option}" must be a whole number of seconds from ${least} to ${longest}`)
}
