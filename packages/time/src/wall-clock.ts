/**
 * Returns the time of the platform in epoch milliseconds: the default of every option `now`. It reads `Date` at each call,
 * so a test that has replaced `Date` has replaced it for objects that exist already.
 *
 * @example
 * import { wallClock } from '@latchkey/time'
 * const createLinks = ({ now = wallClock }: { readonly now?: () => number } = {}) => ({ expiresAt: now() + 3_600_000 })
 */
export function wallClock(): number {
  return Date.now()
}
