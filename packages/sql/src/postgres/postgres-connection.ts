import { StoreError } from '@latchkey/store'
import { readTables, type TablesVersion, toTablesVersion } from '../migrations.ts'
import {
  fillTime,
  type SqlExecutor,
  type SqlParameter,
  type SqlRow,
  type SqlValue,
} from '../statements/sql-executor.ts'
import { refuseNewerVersion } from '../table-version.ts'
import { withinDeadline } from '../within-deadline.ts'
import { createDeadlineQueue } from './deadline-queue.ts'
import { createPostgresClock, readClock } from './postgres-clock.ts'
import type { PostgresDriver } from './postgres-driver.ts'
import { isMissing, isUniqueViolation, toStoreError } from './postgres-error.ts'
import { createPostgresWriter, type Limit } from './postgres-writer.ts'
import { repeatUndone } from './repeat-undone.ts'
import { createTimedStatements, type TimedStatement } from './server-time.ts'
import type { StatementSignal } from './statement-signal.ts'

export interface PostgresConnection extends SqlExecutor {
  /** Returns the version of the tables. */
  readVersion(limitMs?: number): Promise<TablesVersion>
  /** Runs several statements in one transaction. */
  script(text: string, deadlineMs: number): Promise<void>
  close(): Promise<void>
}

export interface PostgresConnectionOptions {
  readonly deadlineMs: number
  /** The clock of the stores; `null` for the clock of the server. */
  readonly now: (() => number) | null
}

/** Creates an executor that answers by its deadline and applies no change after it. */
export function createPostgresConnection(
  driver: PostgresDriver,
  { deadlineMs, now: given }: PostgresConnectionOptions,
): PostgresConnection {
  let isClosed = false
  let isVersionChecked = false
  const clock = createPostgresClock((signal) => driver.query(readClock, [], signal))
  const now = given === null ? clock.now : () => Math.trunc(given())

  async function ask<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (isClosed) throw closed()
    try {
      return await withinDeadline(limitMs, work)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  const deadlines = createDeadlineQueue(deadlineMs, driver.places)
  async function inTurn<T>(work: (signal: StatementSignal, end: number) => Promise<T>): Promise<T> {
    if (isClosed) throw closed()
    try {
      return await deadlines.run(work)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  async function readVersion(signal: StatementSignal): Promise<TablesVersion> {
    try {
      const [row] = await driver.prepared(readTables, [], signal)
      return toTablesVersion(row)
    } catch (error) {
      if (isMissing(error)) return toTablesVersion(undefined)
      throw error
    }
  }

  /** Before the first statement, because this code must not use the tables of a newer release. */
  async function checkVersion(signal: StatementSignal): Promise<void> {
    refuseNewerVersion(await readVersion(signal))
    isVersionChecked = true
  }

  const withServerTime = createTimedStatements()
  const withTime = (statement: string, parameters: readonly SqlParameter[]): TimedStatement =>
    given === null ? withServerTime(statement, parameters) : { text: statement, values: fillTime(parameters, given) }

  const write = createPostgresWriter(driver.prepared, clock)

  async function send(
    statement: string,
    parameters: readonly SqlParameter[],
    limit: Limit,
  ): Promise<readonly SqlRow[]> {
    const { signal } = limit
    if (!isVersionChecked) await checkVersion(signal)
    await clock.ready(signal)
    return repeatUndone(signal, () => {
      const { text, values } = withTime(statement, parameters)
      const sent = values.map(toParameter)
      if (text.startsWith('select')) return driver.prepared(text, sent, signal)
      return write(text, sent, limit).catch(ignoreUniqueViolation)
    })
  }

  return {
    rowLocks: { wait: ' for update', skip: ' for update skip locked' },
    byBytes: ' collate "C"',
    // Passed as a text: where the server expects JSON, postgres.js would write the text as JSON once more.
    listed: 'select value from json_array_elements_text(cast(cast($1 as text) as json))',
    now,
    ...(given && { clock: 'given' }),
    async run(statement, parameters) {
      if (cannotMatch(statement, parameters)) return []
      return inTurn((signal, end) => send(statement, parameters, { end, signal }))
    },
    async readVersion(limitMs) {
      const read = async (signal: StatementSignal): Promise<TablesVersion> => {
        const version = await readVersion(signal)
        await clock.ready(signal)
        return version
      }
      return limitMs === undefined ? inTurn(read) : ask(limitMs, read)
    },
    script: (text, limitMs) => ask(limitMs, (signal) => driver.script(text, signal)),
    async close() {
      if (isClosed) return
      isClosed = true
      await driver.end()
    },
  }
}

function closed(): StoreError {
  return new StoreError('STORE_UNAVAILABLE', 'the stores are closed')
}

/** Returns no rows for a unique violation, which changed no row. */
function ignoreUniqueViolation(error: unknown): [] {
  if (isUniqueViolation(error)) return []
  throw error
}

/** PostgreSQL cannot store NUL in text, so no row matches it, and the statement need not fail. */
function cannotMatch(statement: string, parameters: readonly SqlParameter[]): boolean {
  return (
    !statement.startsWith('insert') && parameters.some((value) => typeof value === 'string' && value.includes('\0'))
  )
}

/** Numbers are stored in bigint columns, which have no fraction. */
function toParameter(value: SqlValue): SqlValue {
  return typeof value === 'number' ? Math.trunc(value) : value
}
