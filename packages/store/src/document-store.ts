import type { Page, StoreCapabilities } from './record-store.ts'

/** A durable document: a factor, an OAuth client, a consent or a signing key. */
export interface StoredDocument {
  /** Its kind: 1 to 64 characters of a-z and hyphen. */
  readonly collection: string
  /** Unique in its collection, compared byte for byte; at most 512 bytes of UTF-8. */
  readonly id: string
  /** The account it belongs to; `null` for none. It never changes. */
  readonly owner: string | null
  /** Drawn by the caller for each write; at most 512 bytes. Stores only compare it, byte for byte. */
  readonly version: string
  /** Opaque to the store; at most 256 kB. Secrets in it are sealed or hashed. */
  readonly value: string
}

/**
 * Durable documents in which every change has exactly one winner, under any concurrency. Only `insert` creates. Each method
 * but the lists and `removeByOwner` touches one row. A method that cannot reach its backend in time throws a `StoreError`;
 * it never answers as if the document were absent. Test an implementation with `describeDocumentStore` of
 * `@latchkey/store/testing`.
 */
export interface DocumentStore {
  readonly capabilities: Pick<StoreCapabilities, 'contract' | 'consistency'>
  /** True when the document is stored; false when the id exists in the collection. Never overwrites. */
  insert(document: StoredDocument): Promise<boolean>
  /** Returns the document, or `null`. The object is the caller's own: a change of it does not reach the store. */
  get(collection: string, id: string): Promise<StoredDocument | null>
  /** Compare and swap on the version: true for exactly one caller. Never creates, never changes the owner. */
  replace(
    current: Pick<StoredDocument, 'collection' | 'id' | 'version'>,
    next: Pick<StoredDocument, 'version' | 'value'>,
  ): Promise<boolean>
  /** True for exactly one caller. With a version, removes the document only at this version. */
  remove(document: Pick<StoredDocument, 'collection' | 'id'> & { readonly version?: string }): Promise<boolean>
  /**
   * Returns the collection's documents in a stable order, and a `cursor` while there may be more. Never omits a document
   * whose `insert` has resolved.
   */
  list(
    collection: string,
    page?: Page,
  ): Promise<{ readonly items: readonly StoredDocument[]; readonly cursor?: string }>
  /** Returns the owner's documents, of all collections unless some are named. Never omits one, as `list`. */
  listByOwner(
    owner: string,
    options?: Page & { readonly collections?: readonly string[] },
  ): ReturnType<DocumentStore['list']>
  /**
   * Removes all documents of the owner whose `insert` resolved before the call, of all collections unless some are named,
   * and returns how many this call removed.
   */
  removeByOwner(owner: string, options?: { readonly collections?: readonly string[] }): Promise<number>
  /** Returns whether the documents are kept in the memory of this process. Omitted: other processes see them. */
  isInMemory?(): boolean | Promise<boolean>
}

/** A page of documents. */
export type DocumentPage = Awaited<ReturnType<DocumentStore['list']>>
