import type { CounterStore, DocumentStore, RecordStore } from '@latchkey/store'
import { createLmdbCounterStore } from './lmdb-counter-store.ts'
import { createLmdbDatabase, type LmdbOptions } from './lmdb-database.ts'
import { createLmdbDocumentStore } from './lmdb-document-store.ts'
import { createLmdbRecordStore } from './lmdb-record-store.ts'

/** The stores on one database. */
export interface LmdbStores {
  readonly records: RecordStore
  readonly documents: DocumentStore
  readonly counters: CounterStore
  close(): Promise<void>
}

/** Creates the stores on one database, for any number of processes on one machine. */
export function createLmdbStores(options: LmdbOptions): LmdbStores {
  const database = createLmdbDatabase(options)
  return {
    records: createLmdbRecordStore(database),
    documents: createLmdbDocumentStore(database),
    counters: createLmdbCounterStore(database),
    close: database.close,
  }
}
