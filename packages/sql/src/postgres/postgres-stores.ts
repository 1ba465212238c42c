import { checkOptionNames } from '@latchkey/core/internal'
import type { SqlStores } from '../sql-stores.ts'
import { checkChanges, createStoresOnSql, type StoresOnSql } from '../stores/stores-on-sql.ts'
import { refuseOtherVersion } from '../table-version.ts'
import { createJointReads } from './joint-reads.ts'
import { migratePostgres, writePostgresScript } from './migrate-postgres.ts'
import { openPostgresDriver } from './open-postgres-driver.ts'
import { createPostgresConnection, type PostgresConnection } from './postgres-connection.ts'
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
  /**
   * Whether each connection prepares the statements of the stores once, which spares the server parsing and planning them
   * again. Behind a pooler that shares connections between clients, such as PgBouncer in transaction mode, it must be
   * `false`, unless the pooler knows prepared statements (PgBouncer from 1.21 on).
   * @default true
   */
  readonly preparedStatements?: boolean
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
  checkOptionNames('createPostgresStores', options, {
    pool: true,
    now: true,
    deadlineMs: true,
    preparedStatements: true,
  })
  const { pool, now = null, deadlineMs = 250, preparedStatements: prepares = true } = options
  if (!(deadlineMs > 0 && Number.isFinite(deadlineMs))) throw new TypeError('"deadlineMs" must be a positive number')
  if (typeof prepares !== 'boolean') throw new TypeError('"preparedStatements" must be true or false')
  const driver = openPostgresDriver(pool, Math.ceil(deadlineMs), { prepares })
  const connection = createPostgresConnection(driver, { deadlineMs, now })
  const stores = createStoresOnPostgres(connection)
  return {
    ...stores,
    migrate: () => migratePostgres(connection, Math.max(Math.ceil(deadlineMs), migrationDeadlineMs)),
    migrationSql: writePostgresScript,
    async check() {
      refuseOtherVersion(await connection.readVersion())
      await checkChanges(stores)
    },
    isInMemory: async () => isInMemory(pool),
    close: () => connection.close(),
  }
}

function createStoresOnPostgres(connection: PostgresConnection): StoresOnSql {
  const stores = createStoresOnSql(connection)
  const identities = createJointReads(connection, stores.accounts.identities)
  return { ...stores, accounts: { ...stores.accounts, identities } }
}
