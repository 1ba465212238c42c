/** What an account has allowed a client. */
export interface StoredGrant {
  readonly id: string
  readonly accountId: string
  readonly clientId: string
  /**
   * A whole number of at least 1, incremented by each successful `replace`. A version of an id is never used again, not after
   * a removal either: a write that was held up since before it would bring old scopes back. `firstVersion` draws one.
   */
  readonly version: number
  /** Opaque to the store: the scopes, and when. */
  readonly value: string
}

/**
 * Durable consents: at most one for each account and client. Test an implementation with `describeGrantStore` of
 * `@latchkey/store/testing`.
 */
export interface GrantStore {
  /**
   * True when stored, with a version that no earlier grant of the id had; false when the id exists, or the account has a grant
   * for the client.
   */
  insert(grant: Omit<StoredGrant, 'version'>): Promise<boolean>
  /** Returns the grant, or `null`. The object is the caller's own. */
  get(id: string): Promise<StoredGrant | null>
  /** Returns the grant of an account for a client, or `null`. */
  getByClient(accountId: string, clientId: string): Promise<StoredGrant | null>
  /** Compare and swap on the version: true for exactly one caller. Never creates. */
  replace(id: string, version: number, value: string): Promise<boolean>
  /** True for exactly one caller. */
  remove(id: string): Promise<boolean>
  /** Returns all grants of the account, in any order. */
  listByAccount(accountId: string): Promise<readonly StoredGrant[]>
  /** Removes every grant of the account and returns how many this call removed. */
  removeByAccount(accountId: string): Promise<number>
}
