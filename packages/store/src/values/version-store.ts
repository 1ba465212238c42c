/**
 * The version in which stored values may be written: a number of the whole database, which only rises. Processes of an
 * older and of a newer release share a database during an upgrade; the newer ones read both versions, and write the older
 * one until it is raised. Test an implementation with `describeVersionStore` of `@latchkey/store/testing`.
 */
export interface VersionStore {
  /** Returns the version; 0 where none was ever stored. */
  get(): Promise<number>
  /** Raises the version in one statement and returns the one that is stored then: a lower one changes nothing. */
  raise(version: number): Promise<number>
}
