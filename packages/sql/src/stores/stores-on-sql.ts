import type { SqlStores } from '../sql-stores.ts'
import type { SqlExecutor } from '../statements/sql-executor.ts'
import { createSqlAccountStore } from './sql-account-store.ts'
import { createSqlAuditStore } from './sql-audit-store.ts'
import { createSqlCounterStore } from './sql-counter-store.ts'
import { createSqlDocumentStore } from './sql-document-store.ts'
import { createSqlIdentityReads } from './sql-identity-reads.ts'
import { createSqlRecordStore } from './sql-record-store.ts'
import { createSqlReservations } from './sql-reservations.ts'

/** Everything that is stored, on one executor. */
export type StoresOnSql = Omit<SqlStores, 'migrate' | 'migrationSql' | 'check' | 'isInMemory' | 'close'>

/** Creates every store on one executor. */
export function createStoresOnSql(executor: SqlExecutor): StoresOnSql {
  const records = createSqlRecordStore(executor)
  const counters = createSqlCounterStore(executor)
  const documents = createSqlDocumentStore(executor)
  return {
    records,
    counters,
    documents,
    accounts: {
      ...createSqlAccountStore(executor),
      reservations: createSqlReservations(executor),
      identities: createSqlIdentityReads(executor, { records, documents }),
    },
    lockouts: counters,
    audit: createSqlAuditStore(executor),
  }
}
