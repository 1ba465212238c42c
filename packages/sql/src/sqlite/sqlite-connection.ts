import { wallClock } from '@latchkey/core/internal'
import { StoreError } from '@latchkey/store'
import { bindInOrder, type OrderedStatement } from '../statements/ordered-statement.ts'
import { fillTime, type SqlExecutor, type SqlRow, type SqlValue } from '../statements/sql-executor.ts'
import { createRetryQueue, retryWhileBusy } from './retry-while-busy.ts'
import type { SqliteDatabase } from './sqlite-database.ts'
import { isUniqueViolation } from './sqlite-error.ts'
import { refuseNewer } from './sqlite-version.ts'

export interface SqliteConnection extends SqlExecutor {
  /**
   * Runs a synchronous action on the open database and returns its result. It is repeated while another connection
   * holds the lock, so it must have no effect when it throws.
   */
  use<T>(action: (database: SqliteDatabase) => T, deadlineMs?: number): Promise<T>
  close(): Promise<void>
}

interface OpenDatabase {
  readonly database: SqliteDatabase
  readonly statements: Map<string, OrderedStatement>
}

// WAL: readers do not wait for a writer. FULL: acknowledged changes survive a loss of power.
const pragmas = `pragma busy_timeout = 0;
pragma journal_mode = WAL;
pragma synchronous = FULL;
pragma foreign_keys = on;`

export interface SqliteConnectionOptions {
  readonly deadlineMs: number
  /** The clock of the stores; `null` for the clock of this process. */
  readonly now: (() => number) | null
}

/** Creates a connection that opens the database on first use, and again after a failed attempt. */
export function createSqliteConnection(
  database: () => SqliteDatabase,
  { deadlineMs, now: given }: SqliteConnectionOptions,
): SqliteConnection {
  const now = given ?? wallClock
  let opened: OpenDatabase | null = null
  let isClosed = false
  const queued = createRetryQueue(deadlineMs)

  function attempt<T>(action: (open: OpenDatabase) => T): T {
    if (isClosed) throw new StoreError('STORE_UNAVAILABLE', 'the stores are closed')
    opened ??= openDatabase(database)
    return action(opened)
  }

  return {
    // One statement changes the database at a time.
    rowLocks: { wait: '', skip: '' },
    byBytes: '',
    listed: 'select value from json_each($1)',
    now: () => Math.trunc(now()),
    ...(given && { clock: 'given' }),
    run: (statement, parameters) =>
      queued(() => attempt((open) => runStatement(open, statement, fillTime(parameters, now)))),
    use: (action, limitMs = deadlineMs) => retryWhileBusy(limitMs, () => attempt((open) => action(open.database))),
    async close() {
      isClosed = true
      opened?.database.close()
      opened = null
    },
  }
}

function openDatabase(open: () => SqliteDatabase): OpenDatabase {
  const database = open()
  try {
    database.exec(pragmas)
    refuseNewer(database)
    return { database, statements: new Map() }
  } catch (error) {
    database.close()
    throw error
  }
}

function runStatement({ database, statements }: OpenDatabase, sql: string, parameters: readonly SqlValue[]): SqlRow[] {
  const statement = statements.get(sql) ?? bindInOrder(sql, (text) => database.prepare(text))
  statements.set(sql, statement)
  try {
    return statement(parameters) as SqlRow[]
  } catch (error) {
    if (isUniqueViolation(error)) return []
    throw error
  }
}
