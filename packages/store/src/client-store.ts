import type { Page } from './record-store.ts'

/** An OAuth client as a store keeps it. */
export interface StoredClient {
  /** Its `client_id`. Never that of an account. */
  readonly id: string
  /**
   * A whole number of at least 1, incremented by each successful `replace`. A version of an id is never used again, not after
   * a removal either: a write that was held up since before it would bring an old secret back. `firstVersion` draws one.
   */
  readonly version: number
  /** Opaque to the store; secrets in it are hashed. */
  readonly value: string
}

/** Durable OAuth clients. Test an implementation with `describeClientStore` of `@latchkey/store/testing`. */
export interface ClientStore {
  /** True when stored, with a version that no earlier client of the id had; false when the id exists. Never overwrites. */
  insert(client: Omit<StoredClient, 'version'>): Promise<boolean>
  /** Returns the client, or `null`. The object is the caller's own. */
  get(id: string): Promise<StoredClient | null>
  /** Compare and swap on the version: true for exactly one caller. Never creates. */
  replace(id: string, version: number, value: string): Promise<boolean>
  /** True for exactly one caller. */
  remove(id: string): Promise<boolean>
  /** Returns clients in a stable order, at most `limit` (default 100), and a `cursor` while there may be more. */
  list(page?: Page): Promise<{ readonly items: readonly StoredClient[]; readonly cursor?: string }>
}
