/**
 * Returns the time of the platform in epoch milliseconds: the default of every option `now`. It reads `Date` at each call,
 * so a test that has replaced `Date` has replaced it for objects that exist already.
 */
export function wallClock(): number {
  return Date.now()
}
