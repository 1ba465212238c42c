import { checkOptionNames } from '@latchkey/core/internal'
import { StoreError } from '@latchkey/store'
import type { SqlRow } from '../statements/sql-executor.ts'
import { withinDeadline } from '../within-deadline.ts'
import { createDeadlineQueue } from './deadline-queue.ts'
import { openPostgresDriver } from './open-postgres-driver.ts'
import type { PostgresPool } from './pools/postgres-pool.ts'
import { createPostgresClock, readClock } from './postgres-clock.ts'
import type { PostgresWork } from './postgres-driver.ts'
import { toOutage } from './postgres-error.ts'
import { createPostgresWriter } from './postgres-writer.ts'
import { repeatUndone } from './repeat-undone.ts'

/** Statements of the application with the deadline of the stores. */
export interface PostgresExecutor {
  /**
   * Returns the rows of a statement with parameters `$1`, `$2`, …. An `insert`, `update` or `delete` with `returning`
   * undoes itself if the server executes it after the deadline, for example after it was suspended. If the server undid
   * such a change or a `select` for a deadlock or a conflict, it is sent again until the deadline.
   *
   * @throws StoreError `STORE_UNAVAILABLE` if the database failed, could not be reached, or did not answer by the
   * deadline; else the error of the driver, for example of a constraint.
   */
  query<Row extends object = Readonly<Record<string, unknown>>>(
    text: string,
    values?: readonly unknown[],
  ): Promise<readonly Row[]>
  /**
   * Commits what the work has done with its statements, or undoes it when the work throws, and throws the same.
   *
   * @throws StoreError `STORE_UNAVAILABLE`, as `query`. When the connection was lost while it was committed, the outcome is
   *   unknown.
   */
  transaction<T>(
    work: (statement: PostgresExecutor['query']) => Promise<T>,
    limit?: {
      /**
       * The time limit of the whole transaction, in milliseconds, including the wait for a connection.
       * @default the limit of the executor
       */
      readonly deadlineMs?: number
    },
  ): Promise<T>
  /** Runs several statements without parameters in one transaction, for example to create tables. */
  script(
    text: string,
    limit?: {
      /**
       * The time limit of the whole script, in milliseconds, including the wait for a connection.
       * @default the limit of the executor
       */
      readonly deadlineMs?: number
    },
  ): Promise<void>
  /** Resolves when the database answers: a readiness probe. */
  check(): Promise<void>
  /** Closes the pool, within a second even if the database does not answer. All later calls throw. */
  close(): Promise<void>
}

/**
 * Creates an executor for the statements of your application, on the terms of the stores: each has an answer by its
 * deadline, a connection that did not answer is never used again, and a database that hangs is an outage (503), not a
 * request that waits.
 *
 * @throws TypeError when an option is unknown or not valid.
 *
 * @example
 * import { createPostgresExecutor } from '@latchkey/sql'
 * import { Pool } from 'pg'
 * const database = createPostgresExecutor({ pool: new Pool({ connectionString: 'postgres://127.0.0.1/app' }) })
 * const [article] = await database.query<{ title: string }>('select title from articles where id = $1', ['art_1'])
 */
export function createPostgresExecutor(options: {
  /**
   * A `Pool` of `pg`, the `sql` function of postgres.js, or a `PGlite`, used by this executor only: `close` closes it.
   */
  readonly pool: PostgresPool
  /**
   * The time limit of a statement from its turn on, in milliseconds. As many have their turn as the pool has connections.
   * The others wait no longer than this while none is answered, and at most four times as long.
   * @default 250
   */
  readonly deadlineMs?: number
}): PostgresExecutor {
  checkOptionNames('createPostgresExecutor', options, { pool: true, deadlineMs: true })
  const { pool, deadlineMs = 250 } = options
  checkDeadline(deadlineMs)
  const driver = openPostgresDriver(pool)
  const clock = createPostgresClock((signal) => driver.query(readClock, [], signal))
  const write = createPostgresWriter(driver.query, clock)
  let closing: Promise<void> | null = null

  function refuseClosed(): void {
    if (closing) throw new StoreError('STORE_UNAVAILABLE', 'the database is closed')
  }

  async function ask<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    refuseClosed()
    return withinDeadline(limitMs, work).catch(throwOutage)
  }

  const deadlines = createDeadlineQueue(deadlineMs, driver.places)
  async function query(text: string, values: readonly unknown[] = []): Promise<readonly SqlRow[]> {
    refuseClosed()
    const inTurn = deadlines.run((signal, end) => {
      if (undoesItself.test(text)) return repeatUndone(signal, () => write(text, values, { end, signal }))
      const send = () => driver.query(text, values, signal)
      return isOneRead.test(text) ? repeatUndone(signal, send) : send()
    })
    return inTurn.catch(throwOutage)
  }

  return {
    query: query as PostgresExecutor['query'],
    transaction(work, limit) {
      const limitMs = readLimit(limit, deadlineMs)
      return ask(limitMs, (signal) => driver.transaction(translateStatements(work), Math.ceil(limitMs), signal))
    },
    script(text, limit) {
      const limitMs = readLimit(limit, deadlineMs)
      return ask(limitMs, (signal) =>
        driver.script(`set local statement_timeout = ${Math.ceil(limitMs)};\n${text}`, signal),
      )
    },
    check: async () => void (await query('select 1')),
    close() {
      closing ??= driver.end()
      return closing
    },
  }
}

/** A change whose rows can be judged by the time of the server before they are returned. */
const undoesItself = /^\s*(?:insert|update|delete)\b[\s\S]*\breturning\b[^;]*$/i

/** A single `select`: of several statements in a text, some may be committed when another is undone. */
const isOneRead = /^\s*select\b[^;]*$/i

/** An error of the work itself, which is rethrown unchanged. */
class WorkError extends Error {}

function translateStatements<T>(work: (statement: PostgresExecutor['query']) => Promise<T>): PostgresWork<T> {
  return async (query) => {
    const statement = (text: string, values: readonly unknown[] = []) => query(text, values).catch(throwOutage)
    try {
      return await work(statement as PostgresExecutor['query'])
    } catch (cause) {
      throw new WorkError('the work has thrown', { cause })
    }
  }
}

function throwOutage(error: unknown): never {
  throw error instanceof WorkError ? error.cause : toOutage(error)
}

function readLimit(limit: Parameters<PostgresExecutor['script']>[1] = {}, otherwise: number): number {
  const { deadlineMs = otherwise } = checkOptionNames('the limit of a transaction', limit, { deadlineMs: true })
  return checkDeadline(deadlineMs)
}

function checkDeadline(deadlineMs: number): number {
  if (deadlineMs > 0 && Number.isFinite(deadlineMs)) return deadlineMs
  throw new TypeError('"deadlineMs" must be a positive number')
}
