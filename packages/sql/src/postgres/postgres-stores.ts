import { checkOptionNames } from '@latchkey/options'
import type { SqlStores } from '../sql-stores.ts'
import { createStoresOnSql } from '../stores/stores-on-sql.ts'
import { refuseOtherVersion } from '../table-version.ts'
import { migratePostgres, writePostgresScript } from './migrate-postgres.ts'
import { openPostgresDriver } from './open-postgres-driver.ts'
import { createPostgresConnection } from './postgres-connection.ts'
import { isInMemory, type PostgresPool } from './postgres-pool.ts'

export interface PostgresStoresOptions {
  /**
   * A `Pool` of `pg`, the `sql` function of postgres.js, or a `PGlite`, used by these stores only: its connections get
   * a statement timeout, and `close` ends it.
   */
  readonly pool: PostgresPool
  /**
   * The clock by which records expire and windows close, in epoch milliseconds: for tests.
   * @default that of the database server
   */
  readonly now?: () => number
  /**
   * The time limit of an operation, including the wait for a connection, in milliseconds.
   * @default 250
   */
  readonly deadlineMs?: number
}

/** A migration may wait for that of another process. */
const migrationDeadlineMs = 10_000

/**
 * Creates all stores on one PostgreSQL database, for any number of processes. It connects on first use. Every change is
 * one conditional statement. An operation without an answer at its deadline throws, and its statement undoes itself
 * when the server executes it later.
 *
 * The stores throw `StoreError`: `STORE_UNAVAILABLE` when the database fails, cannot be reached, or does not answer by
 * the deadline, `STORE_NOT_MIGRATED` when `migrate` has not run, `STORE_TOO_NEW` when a newer release has.
 *
 * @throws TypeError when an option is unknown or not valid.
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
  const { pool, now = null, deadlineMs = 250 } = options
  if (!(deadlineMs > 0 && Number.isFinite(deadlineMs))) throw new TypeError('"deadlineMs" must be a positive number')
  const driver = openPostgresDriver(pool, Math.ceil(deadlineMs))
  const connection = createPostgresConnection(driver, { deadlineMs, now })
  return {
    ...createStoresOnSql(connection),
    migrate: () => migratePostgres(connection, Math.max(Math.ceil(deadlineMs), migrationDeadlineMs)),
    migrationSql: writePostgresScript,
    check: async () => refuseOtherVersion(await connection.readVersion()),
    isInMemory: async () => isInMemory(pool),
    close: () => connection.close(),
  }
}
