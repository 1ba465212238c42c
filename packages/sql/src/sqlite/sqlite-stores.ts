import { checkOptionNames } from '@latchkey/core/internal'
import type { SqlStores } from '../sql-stores.ts'
import { checkChanges, createStoresOnSql } from '../stores/stores-on-sql.ts'
import { refuseOtherVersion } from '../table-version.ts'
import { migrateSqlite, writeMigrationScript } from './migrate-sqlite.ts'
import { createSqliteConnection } from './sqlite-connection.ts'
import { isInMemory, type SqliteDatabase } from './sqlite-database.ts'
import { readVersion } from './sqlite-version.ts'

export interface SqliteStoresOptions {
  /** Opens the database. Called on first use, and again when that failed. */
  readonly database: () => SqliteDatabase
  /**
   * The clock by which records expire and windows close, in epoch milliseconds: for tests.
   * @default Date.now
   */
  readonly now?: () => number
  /**
   * How long an operation waits for the lock of another connection, in milliseconds.
   * @default 250
   */
  readonly deadlineMs?: number
}

/** A migration may wait for the migration of another process. */
const migrationDeadlineMs = 10_000

/**
 * Creates all stores on one SQLite file, for any number of processes on one machine. The file is opened on first use.
 * Every change is one conditional statement, on disk before it is acknowledged; the event loop never waits for a lock.
 * The stores throw `StoreError`: `STORE_UNAVAILABLE` if the database fails or stays locked beyond the deadline,
 * `STORE_NOT_MIGRATED` if `migrate` has not run, `STORE_TOO_NEW` if a newer release has migrated the tables.
 *
 * @throws TypeError if an option is unknown or not valid.
 * @example
 * import { DatabaseSync } from 'node:sqlite'
 * import { createSqliteStores } from '@latchkey/sql'
 * const stores = createSqliteStores({ database: () => new DatabaseSync('app.db') })
 * await stores.migrate()
 * await stores.records.get('se_unknown') // null
 */
export function createSqliteStores(options: SqliteStoresOptions): SqlStores {
  checkOptionNames('createSqliteStores', options, { database: true, now: true, deadlineMs: true })
  const { database, now = null, deadlineMs = 250 } = options
  if (typeof database !== 'function') throw new TypeError('"database" must be a function that opens the database')
  if (!(deadlineMs > 0 && Number.isFinite(deadlineMs))) throw new TypeError('"deadlineMs" must be a positive number')
  const connection = createSqliteConnection(database, { deadlineMs, now })
  const stores = createStoresOnSql(connection)
  return {
    ...stores,
    migrate: () => connection.use(migrateSqlite, Math.max(deadlineMs, migrationDeadlineMs)),
    migrationSql: writeMigrationScript,
    async check() {
      await connection.use((opened) => refuseOtherVersion(readVersion(opened)))
      await checkChanges(stores)
    },
    isInMemory: () => connection.use(isInMemory),
    close: () => connection.close(),
  }
}
