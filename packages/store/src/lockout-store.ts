/**
 * How often a factor of an account was shown wrongly in a row: durable, so that no flush of a cache and no restart grants
 * new attempts. Test an implementation with `describeLockoutStore` of `@latchkey/store/testing`.
 */
export interface LockoutStore {
  /**
   * Counts one more failure in one atomic statement and returns how many there are now, without a success in between.
   *
   * @param factor what was shown: `password`, `totp`.
   */
  fail(accountId: string, factor: string): Promise<number>
  /** Returns how many there are; 0 for none. */
  count(accountId: string, factor: string): Promise<number>
  /** Begins again with 0: after a success, or when the factor was set anew. */
  clear(accountId: string, factor: string): Promise<void>
}
