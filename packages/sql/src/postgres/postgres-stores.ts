import { checkOptionNames } from '@latchkey/options'
import type { SqlStores } from '../sql-stores.ts'
import { createSqlAccountStore } from '../stores/sql-account-store.ts'
import { createSqlCounterStore } from '../stores/sql-counter-store.ts'
import { createSqlFactorStore } from '../stores/sql-factor-store.ts'
import { createSqlKeyStore } from '../stores/sql-key-store.ts'
import { createSqlRecordStore } from '../stores/sql-record-store.ts'
import { refuseOtherVersion } from '../table-version.ts'
import { migratePostgres, writePostgresScript } from './migrate-postgres.ts'
import { createPostgresConnection } from './postgres-connection.ts'
import { openPostgresDriver } from './postgres-driver.ts'
import type { PostgresPool } from './postgres-pool.ts'

export interface PostgresStoresOptions {
  /**
   * A `Pool` of `pg`, the `sql` function of postgres.js, or a `PGlite`, for these stores alone: its connections get a
   * timeout for statements, and `close` ends it.
   */
  readonly pool: PostgresPool
  /** The clock, epoch milliseconds; `Date.now` unless told. */
  readonly now?: () => number
  /** How long an operation may take, waiting for a connection included, in milliseconds; 250 unless told. */
  readonly deadlineMs?: number
}

/** A migration is no request: it may wait for the one that another process is making. */
const migrationDeadlineMs = 10_000

/**
 * Gives all stores on one PostgreSQL database, for any number of processes. Nothing is touched before the first use.
 * Every change is one conditional statement. An operation that has no answer at its deadline throws, and its statement
 * undoes itself should the server come to it later.
 *
 * The stores throw `StoreError`: `STORE_UNAVAILABLE` when the database fails, cannot be reached, or has not answered by
 * the deadline, `STORE_NOT_MIGRATED` when `migrate` has not run, `STORE_TOO_NEW` when a newer release has.
 *
 * @throws TypeError when an option cannot be used.
 *
 * @example
 * import { createPostgresStores } from '@latchkey/sql'
 * import { Pool } from 'pg'
 * const stores = createPostgresStores({ pool: new Pool({ connectionString: 'postgres://127.0.0.1/app' }) })
 * await stores.migrate()
 * await stores.records.get('se_unknown') // null
 */
export function createPostgresStores(options: PostgresStoresOptions): SqlStores {
  checkOptionNames('createPostgresStores', options, { pool: true, now: true, deadlineMs: true })
  const { pool, now = Date.now, deadlineMs = 250 } = options
  if (!(deadlineMs > 0 && Number.isFinite(deadlineMs))) throw new TypeError('"deadlineMs" must be a positive number')
  const driver = openPostgresDriver(pool, Math.ceil(deadlineMs))
  const connection = createPostgresConnection(driver, deadlineMs)
  return {
    records: createSqlRecordStore(connection, now),
    counters: createSqlCounterStore(connection, now),
    factors: createSqlFactorStore(connection),
    accounts: createSqlAccountStore(connection),
    keys: createSqlKeyStore(connection),
    migrate: () => migratePostgres(connection, Math.max(Math.ceil(deadlineMs), migrationDeadlineMs)),
    migrationSql: writePostgresScript,
    check: async () => refuseOtherVersion(await connection.readVersion()),
    close: () => connection.close(),
  }
}
