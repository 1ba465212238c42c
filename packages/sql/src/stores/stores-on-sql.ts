import type { SqlStores } from '../sql-stores.ts'
import type { SqlExecutor } from '../statements/sql-executor.ts'
import { createSqlAccountStore } from './sql-account-store.ts'
import { createSqlAddressStore } from './sql-address-store.ts'
import { createSqlAuditStore } from './sql-audit-store.ts'
import { createSqlClientStore } from './sql-client-store.ts'
import { createSqlCounterStore } from './sql-counter-store.ts'
import { createSqlDenialStore } from './sql-denial-store.ts'
import { createSqlDocumentStore } from './sql-document-store.ts'
import { createSqlGrantStore } from './sql-grant-store.ts'
import { createSqlIdentityStore } from './sql-identity-store.ts'
import { createSqlKeyStore } from './sql-key-store.ts'
import { createSqlLinkStore } from './sql-link-store.ts'
import { createSqlProfileStore } from './sql-profile-store.ts'
import { createSqlRecordStore } from './sql-record-store.ts'
import { createSqlVersionStore } from './sql-version-store.ts'

/** Everything that is stored, on one executor. */
export type StoresOnSql = Omit<SqlStores, 'migrate' | 'migrationSql' | 'check' | 'isInMemory' | 'close'>

/** Creates every store on one executor. */
export function createStoresOnSql(executor: SqlExecutor): StoresOnSql {
  const records = createSqlRecordStore(executor)
  const counters = createSqlCounterStore(executor)
  const accounts = createSqlAccountStore(executor)
  const denials = createSqlDenialStore(executor)
  return {
    records,
    counters,
    documents: createSqlDocumentStore(executor),
    accounts,
    profiles: createSqlProfileStore(executor),
    addresses: createSqlAddressStore(executor),
    lockouts: counters,
    links: createSqlLinkStore(executor),
    clients: createSqlClientStore(executor),
    grants: createSqlGrantStore(executor),
    audit: createSqlAuditStore(executor),
    identities: createSqlIdentityStore(executor, { records, accounts, denials }),
    keys: createSqlKeyStore(executor),
    denials,
    versions: createSqlVersionStore(executor),
  }
}
