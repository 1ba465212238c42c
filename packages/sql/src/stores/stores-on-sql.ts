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

/** Resolves when the database takes a change, as each sign-in makes one: a full disk or a standby still answers reads. */
export async function checkChanges({ counters }: Pick<StoresOnSql, 'counters'>): Promise<void> {
  await counters.hit('latchkey:check', 1000)
}

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
