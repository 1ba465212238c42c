import { checkOptionNames } from '@latchkey/core/internal'
import type { SqlStores } from '../sql-stores.ts'
import { checkChanges, createStoresOnSql, type StoresOnSql } from '../stores/stores-on-sql.ts'
import { refuseOtherVersion } from '../table-version.ts'
import { createJointReads } from './joint-reads.ts'
import { migratePostgres, writePostgresScript } from './migrate-postgres.ts'
import { openPostgresDriver } from './open-postgres-driver.ts'
import { isInMemory, type PostgresPool } from './pools/postgres-pool.ts'
import { createPostgresConnection, type PostgresConnection } from './postgres-connection.ts'

export interface PostgresStoresOptions {
  /**
   * A `Pool` of `pg`, the `sql` function of postgres.js, or a `PGlite`, used by these stores only: `close` closes it.
   */
  readonly pool: PostgresPool
  /**
   * The clock by which records and windows expire, in epoch milliseconds: for tests.
   * @default the clock of the database server
   */
  readonly now?: () => number
  /**
   * The time limit of an operation from its turn on, in milliseconds. As many have their turn as the pool has connections.
   * The others wait no longer than this while none is answered, and at most four times as long.
   * @default 250
   */
  readonly deadlineMs?: number
  /**
   * Whether each connection prepares the statements of the stores once, so that the server need not parse and plan them
   * again. `false` behind a pooler that shares connections between clients, for example PgBouncer in transaction mode,
   * unless the pooler supports prepared statements (PgBouncer from 1.21 on). With `true`, the first statement that the
   * pooler refuses is sent again without a name, and so are all later statements.
   * @default true
   */
  readonly preparedStatements?: boolean
}

/** A migration may wait for the migration of another process. */
const migrationDeadlineMs = 10_000

/**
 * Creates all stores on one PostgreSQL database, for any number of processes. It connects on first use. Every change is
 * one conditional statement. An operation without an answer at its deadline throws, and its statement undoes itself if
 * the server executes it later. The stores throw `StoreError`: `STORE_UNAVAILABLE` if the database fails, cannot be
 * reached, or does not answer by the deadline, `STORE_NOT_MIGRATED` if `migrate` has not run, `STORE_TOO_NEW` if a
 * newer release has migrated the tables.
 *
 * @throws TypeError if an option is unknown or not valid.
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
  const driver = openPostgresDriver(pool, prepares)
  const connection = createPostgresConnection(driver, { deadlineMs, now })
  const stores = createStoresOnPostgres(connection)
  let isWarm = false
  return {
    ...stores,
    migrate: () => migratePostgres(connection, Math.max(Math.ceil(deadlineMs), migrationDeadlineMs)),
    migrationSql: writePostgresScript,
    async check() {
      refuseOtherVersion(await connection.readVersion())
      await checkChanges(stores)
      if (isWarm) return
      isWarm = true
      if (Number.isFinite(driver.places)) await warmUp(stores, driver.places)
    },
    isInMemory: async () => isInMemory(pool),
    close: () => connection.close(),
  }
}

/**
 * Opens the connections and prepares the most frequent statements before the first requests arrive, which would
 * otherwise all wait for connections. It changes no row, and its failures are ignored.
 */
async function warmUp({ accounts, records }: StoresOnSql, places: number): Promise<void> {
  const steps: readonly (() => Promise<unknown>)[] = [
    () => accounts.getByEmail(''),
    () => accounts.get(''),
    () => accounts.identities.read(''),
    () => records.get(''),
    () => records.remove(''),
  ]
  for (const step of steps) await Promise.allSettled(Array.from({ length: places }, step))
}

function createStoresOnPostgres(connection: PostgresConnection): StoresOnSql {
  const stores = createStoresOnSql(connection)
  const identities = createJointReads(connection, stores.accounts.identities)
  return { ...stores, accounts: { ...stores.accounts, identities } }
}
