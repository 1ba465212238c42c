import { StoreError } from '@latchkey/store'
import { readTables, type TablesVersion, toTablesVersion } from '../migrations.ts'
import { fillTime, type SqlExecutor, type SqlParameter, type SqlValue } from '../stores/sql-executor.ts'
import { refuseNewerVersion } from '../table-version.ts'
import { withinDeadline } from '../within-deadline.ts'
import { createPostgresClock, readClock } from './postgres-clock.ts'
import type { PostgresDriver } from './postgres-driver.ts'
import { isMissing, isUniqueViolation, toStoreError } from './postgres-error.ts'
import { createPostgresWriter } from './postgres-writer.ts'
import { type TimedStatement, withServerTime } from './server-time.ts'

export interface PostgresConnection extends SqlExecutor {
  /** Returns the version of the tables. */
  readVersion(limitMs?: number): Promise<TablesVersion>
  /** Runs several statements in one transaction. */
  script(text: string, deadlineMs: number): Promise<void>
  close(): Promise<void>
}

export interface PostgresConnectionOptions {
  readonly deadlineMs: number
  /** The clock of the stores; `null`: that of the server. */
  readonly now: (() => number) | null
}

/** Creates an executor that answers by its deadline, and whose changes are not applied after it. */
export function createPostgresConnection(
  driver: PostgresDriver,
  { deadlineMs, now: given }: PostgresConnectionOptions,
): PostgresConnection {
  let isClosed = false
  let isVersionChecked = false
  const clock = createPostgresClock((signal) => driver.query(readClock, [], signal))
  const now = given === null ? clock.now : () => Math.trunc(given())

  async function ask<T>(limitMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
    if (isClosed) throw new StoreError('STORE_UNAVAILABLE', 'the stores are closed')
    try {
      return await withinDeadline(limitMs, work)
    } catch (error) {
      throw toStoreError(error)
    }
  }

  async function readVersion(signal: AbortSignal): Promise<TablesVersion> {
    try {
      const [row] = await driver.query(readTables, [], signal)
      return toTablesVersion(row)
    } catch (error) {
      if (isMissing(error)) return toTablesVersion(undefined)
      throw error
    }
  }

  /** Before the first statement, because this code must not use the tables of a newer release. */
  async function checkVersionOnce(signal: AbortSignal): Promise<void> {
    if (isVersionChecked) return
    refuseNewerVersion(await readVersion(signal))
    isVersionChecked = true
  }

  const withTime = (statement: string, parameters: readonly SqlParameter[]): TimedStatement =>
    given === null ? withServerTime(statement, parameters) : { text: statement, values: fillTime(parameters, given) }

  const write = createPostgresWriter(driver, clock)

  return {
    rowLocks: { wait: ' for update', skip: ' for update skip locked' },
    now,
    async run(statement, parameters) {
      if (cannotMatch(statement, parameters)) return []
      const end = performance.now() + deadlineMs
      return ask(deadlineMs, async (signal) => {
        await checkVersionOnce(signal)
        await clock.ready(signal)
        const { text, values } = withTime(statement, parameters)
        const sent = values.map(toParameter)
        if (text.startsWith('select')) return driver.query(text, sent, signal)
        return write(text, sent, { end, signal }).catch(ignoreUniqueViolation)
      })
    },
    readVersion: (limitMs = deadlineMs) =>
      ask(limitMs, async (signal) => {
        const version = await readVersion(signal)
        await clock.ready(signal)
        return version
      }),
    script: (text, limitMs) => ask(limitMs, (signal) => driver.script(text, signal)),
    async close() {
      if (isClosed) return
      isClosed = true
      await driver.end()
    },
  }
}

/** The statement has changed nothing then. */
function ignoreUniqueViolation(error: unknown): [] {
  if (isUniqueViolation(error)) return []
  throw error
}

/** PostgreSQL cannot store NUL in text, so nothing matches it, and the statement need not fail. */
function cannotMatch(statement: string, parameters: readonly SqlParameter[]): boolean {
  return (
    !statement.startsWith('insert') && parameters.some((value) => typeof value === 'string' && value.includes('\0'))
  )
}

/** Numbers are stored in bigint columns, which have no fraction. */
function toParameter(value: SqlValue): SqlValue {
  return typeof value === 'number' ? Math.trunc(value) : value
}
