/** One expiring record: a session, a refresh-token family, a code, a challenge or a one-time link. */
export interface StoredRecord {
  /** Its public name: URL-safe, at least 128 random bits, drawn once and never used again. Not a credential. */
  readonly key: string
  /** The account it belongs to; `null`: nobody, or a client. It never changes. */
  readonly owner: string | null
  /** 1 when inserted, one more after each successful `replace`. */
  readonly version: number
  /** Epoch milliseconds. From this instant on every method treats the record as absent. */
  readonly expiresAt: number
  /** Opaque to the store; up to 1 MB. Only hashes of secrets stand in it. */
  readonly value: string
}

/** What `insert` takes: a record without its version, which begins at 1. */
export type NewRecord = Omit<StoredRecord, 'version'>

/** Which part of a listing is asked for. */
export interface Page {
  /** The most items of one page, at least 1; 100 unless told. */
  readonly limit?: number
  /** The `cursor` of the page before; the first page unless told. */
  readonly cursor?: string
}

/** What a store promises beyond its methods, so that a feature can refuse a store that is too weak for it. */
export interface StoreCapabilities {
  /** `strong`: a write that has resolved is seen by every later read and swap, on every client. */
  readonly consistency: 'strong' | 'eventual'
  /** Whether the backend removes expired records by itself. Without it, `sweep` is required. */
  readonly nativeExpiry: boolean
  /** How late an expiry may take effect, in milliseconds. 1: exact. */
  readonly expiryGranularityMs: number
}

/**
 * Expiring records in which every change has exactly one winner, under any concurrency.
 *
 * For every method an expired record counts as absent, and nothing but `insert` ever creates. A method that cannot
 * reach its backend in time throws (`StoreError`); it never answers as if nothing were there, because that would read
 * as "signed out". Prove an implementation with `describeRecordStore` of `@latchkey/store/testing`.
 */
export interface RecordStore {
  readonly capabilities: StoreCapabilities
  /** True when the record is stored with version 1; false when the key exists: nothing is overwritten or cleaned. */
  insert(record: NewRecord): Promise<boolean>
  /** The record, or `null` when it is absent. The object is the caller's own: changing it changes nothing here. */
  get(key: string): Promise<StoredRecord | null>
  /**
   * Compare and swap: true for exactly one caller per version. A `touch` in between does not count, since it leaves the
   * version alone. Never creates, never changes the owner.
   */
  replace(
    current: Pick<StoredRecord, 'key' | 'version' | 'owner'>,
    next: Pick<StoredRecord, 'value' | 'expiresAt'>,
  ): Promise<boolean>
  /** Moves the expiry and nothing else. False when the record is absent: it is not brought back. */
  touch(current: Pick<StoredRecord, 'key' | 'owner'>, expiresAt: number): Promise<boolean>
  /** True for exactly one caller: `get` and then `remove() === true` is single use. */
  remove(key: string): Promise<boolean>
  /** The owner's records in pages, in an order of the store's own. Never omits a record whose `insert` has resolved. */
  listByOwner(
    owner: string,
    page?: Page,
  ): Promise<{
    readonly items: readonly StoredRecord[]
    /** Present while there may be more. */
    readonly cursor?: string
  }>
  /** Removes every record of the owner whose `insert` resolved before the call, and gives the count. */
  removeByOwner(owner: string, options?: { readonly except?: string }): Promise<number>
  /**
   * Removes some records that had expired at `now` and gives their count, at most `limit`: a bounded piece of work, to
   * be called again and again. A store without native expiry has it.
   */
  sweep?(now: number, limit: number): Promise<number>
  /** Lets go of the backend. */
  close?(): Promise<void>
}
