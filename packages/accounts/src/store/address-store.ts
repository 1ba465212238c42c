/** An address that an account may move back to. Instants are epoch milliseconds. */
export interface ReservedAddress {
  /** Canonical, as `canonicalEmail` returns it. */
  readonly email: string
  readonly accountId: string
  /** When the change away from it was requested. */
  readonly since: number
  readonly until: number
}

/**
 * The capability of keeping an address for the account that has left it. While one is reserved, the `AccountStore` beside it
 * lets no other account have it: `insert` and `replace` are `false`, as for one that is taken. Whose an address is must be
 * decided by a unique constraint and not by a read before a write. `describeAddressStore` of
 * `@latchkey/accounts/testing` proves an implementation.
 *
 * An account that moves back to an address that is reserved for it leaves all others that were, in the same statement. So
 * does one that is removed.
 */
export interface AddressStore {
  /**
   * Reserves the address that an account has now. One that was reserved still stays so since the earlier moment and until the
   * later one. `false`: the account has another address or another epoch, or does not exist. A change of the account that
   * is under way is waited for: what was undone meanwhile is not reserved again.
   */
  reserve(address: ReservedAddress, epoch: number): Promise<boolean>
  /** Returns what is reserved for an account at that moment, the earliest first. */
  listReserved(accountId: string, now: number): Promise<readonly ReservedAddress[]>
  /** Returns for which account an address is reserved at that moment, or `null`. */
  findReserved(email: string, now: number): Promise<ReservedAddress | null>
  /** Releases what is reserved no longer. An account keeps the address that it has. */
  release(now: number): Promise<void>
}
