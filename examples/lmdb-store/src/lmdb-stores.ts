import type { ServerStores } from '@latchkey/server'
import { createLmdbAccountStore } from './lmdb-account-store.ts'
import { createLmdbAuditStore } from './lmdb-audit-store.ts'
import { createLmdbCounterStore } from './lmdb-counter-store.ts'
import { createLmdbDatabase, type LmdbOptions } from './lmdb-database.ts'
import { createLmdbDocumentStore } from './lmdb-document-store.ts'
import { createLmdbRecordStore } from './lmdb-record-store.ts'

/** The stores of a service on one database. */
export type LmdbStores = ServerStores & Required<Pick<ServerStores, 'counters' | 'audit' | 'close'>>

/** Creates the stores on one database, for any number of processes on one machine. */
export function createLmdbStores(options: LmdbOptions): LmdbStores {
  const database = createLmdbDatabase(options)
  const [records, documents] = [createLmdbRecordStore(database), createLmdbDocumentStore(database)]
  return {
    records,
    documents,
    counters: createLmdbCounterStore(database),
    accounts: createLmdbAccountStore(database, { records, documents }),
    audit: createLmdbAuditStore(database),
    check: async () => void (await documents.get('settings', 'stored-version')),
    close: database.close,
  }
}
