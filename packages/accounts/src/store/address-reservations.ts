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
 * Addresses that are kept for the account that left them: with this group of an `AccountStore`, a change of address can be
 * undone. While an address is reserved, `insert` and `replace` of another account return false, as if it were taken. Decide it
 * by a unique constraint, not by a read before a write.
 *
 * An account that moves back to a reserved address, or is removed, releases all of its addresses in the same statement.
 */
export interface AddressReservations {
  /**
   * Reserves the current address of an account. If it is reserved already, the earlier `since` and the later `until`
   * win. False if the account is absent or has another address or epoch. It waits for a concurrent change of the
   * account, so an undone change does not reserve an address again.
   */
  reserve(address: ReservedAddress, epoch: number): Promise<boolean>
  /** Returns the account's reserved addresses at that moment, the earliest first. */
  listByAccount(accountId: string, now: number): Promise<readonly ReservedAddress[]>
  /** Returns the reservation of an address at that moment, or `null`. */
  find(email: string, now: number): Promise<ReservedAddress | null>
  /** Removes expired reservations. An account keeps its current address. */
  release(now: number): Promise<void>
}
