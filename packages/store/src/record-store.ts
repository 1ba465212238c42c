/** One expiring record: a session, a refresh-token family, a code, a challenge or a one-time link. */
export interface StoredRecord {
  /** Its public name: URL-safe, at least 128 random bits, never used twice. Not a credential. */
  readonly key: string
  /** The account it belongs to; `null` for none, or for a client. It never changes. */
  readonly owner: string | null
  /** 1 when inserted, incremented by each successful `replace`. */
  readonly version: number
  /** Epoch milliseconds, by the store's clock. From then on the record is absent. */
  readonly expiresAt: number
  /** Opaque to the store; up to 1 MB. It holds hashes of secrets only. */
  readonly value: string
}

/** The part of a listing to return. */
export interface Page {
  /**
   * The maximum number of items, at least 1.
   * @default 100
   */
  readonly limit?: number
  /** The `cursor` of the page before; omitted for the first page. */
  readonly cursor?: string
}

/** The guarantees of a store, so that a feature can refuse a store that is too weak for it. */
export interface StoreCapabilities {
  /** The version of this contract that the store was written for, as a literal: `1`. Others are rejected at start-up. */
  readonly contract: number
  /** `strong`: a write that has resolved is seen by every later read and swap, on every client. */
  readonly consistency: 'strong' | 'eventual'
  /** Whether the backend removes expired records automatically. Otherwise `sweep` is required. */
  readonly nativeExpiry: boolean
  /** How late an expiry may take effect, in milliseconds. 1: exact. */
  readonly expiryGranularityMs: number
  /** `given`: the store goes by the `now` of its options, which need not be the time of the machine. */
  readonly clock?: 'given'
}

/**
 * Expiring records in which every change has exactly one winner, under any concurrency. Only `insert` creates records.
 * `get`, `replace`, `touch` and lists treat an expired record as absent; removal deletes it at any time of the clock.
 * All processes use one clock for expiry, which `now` returns. A method that cannot reach its backend in time throws a
 * `StoreError`; it never reports the record as absent, which would read as "signed out". Test an implementation with
 * `describeRecordStore` of `@latchkey/store/testing`.
 */
export interface RecordStore {
  readonly capabilities: StoreCapabilities
  /**
   * Returns the time by which the store decides expiry, in whole epoch milliseconds: an estimate of the backend's
   * clock, so that processes with different clocks agree. A backend without a clock, for example a file or this
   * process's memory, has `Date.now`. The option `now` of the factory replaces it.
   */
  now(): number
  /**
   * Returns true if the record is stored, with version 1; false if the key exists. Never overwrites; a failed insert
   * removes no record.
   */
  insert(record: Omit<StoredRecord, 'version'>): Promise<boolean>
  /**
   * Returns the record, or `null` if it is absent. The object is the caller's own: a change of it does not reach the
   * store.
   */
  get(key: string): Promise<StoredRecord | null>
  /**
   * Compare and swap: true for exactly one caller per version. A `touch` in between does not count, because it leaves
   * the version unchanged. Never creates, never changes the owner.
   */
  replace(
    current: Pick<StoredRecord, 'key' | 'version' | 'owner'>,
    next: Pick<StoredRecord, 'value' | 'expiresAt'>,
  ): Promise<boolean>
  /** Changes only the expiry. Returns false without creating a record if it is absent. */
  touch(current: Pick<StoredRecord, 'key' | 'owner'>, expiresAt: number): Promise<boolean>
  /**
   * Removes a record. Returns true to exactly one caller: `get` and then `remove() === true` is single use. It also
   * deletes an expired record, with either result: a result holds in every process, even if a clock differs.
   */
  remove(key: string): Promise<boolean>
  /** Returns the owner's records in pages, in any order. Never omits a record whose `insert` has resolved. */
  listByOwner(
    owner: string,
    page?: Page,
  ): Promise<{
    readonly items: readonly StoredRecord[]
    /** Present while there may be more. */
    readonly cursor?: string
  }>
  /**
   * Removes every record of the owner whose `insert` resolved before the call, expired ones included, and returns how
   * many this call removed.
   */
  removeByOwner(owner: string, options?: { readonly except?: string }): Promise<number>
  /**
   * Removes at most `limit` expired records and returns their count: fewer than `limit` says that none is left. Required
   * without native expiry.
   */
  sweep?(limit: number): Promise<number>
  /**
   * Returns whether the records are in the memory of this process, hidden from other processes. Commands refuse to
   * change such a store. Omitted: other processes see them.
   */
  isInMemory?(): boolean | Promise<boolean>
  /** Releases the backend. */
  close?(): Promise<void>
}

/** A record before `insert`, which sets its version to 1. */
export type NewRecord = Parameters<RecordStore['insert']>[0]
