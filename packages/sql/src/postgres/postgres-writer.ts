import type { SqlRow } from '../stores/sql-executor.ts'
import { type PostgresClock, undoWhenLate } from './postgres-clock.ts'
import type { PostgresDriver } from './postgres-driver.ts'
import { isLate } from './postgres-error.ts'

/** When an operation ends. */
export interface Limit {
  /** An instant of `performance.now()`. */
  readonly end: number
  readonly signal: AbortSignal
}

/** Runs a change that returns rows. The server undoes it when it executes it after the limit. */
export type PostgresWriter = (statement: string, values: readonly unknown[], limit: Limit) => Promise<readonly SqlRow[]>

export function createPostgresWriter(driver: PostgresDriver, clock: PostgresClock): PostgresWriter {
  const guarded = new Map<string, string>()

  function guard(statement: string, parameter: number): string {
    const text = guarded.get(statement) ?? undoWhenLate(statement, parameter)
    guarded.set(statement, text)
    return text
  }

  async function write(
    statement: string,
    values: readonly unknown[],
    limit: Limit,
    mayCompareAgain: boolean,
  ): Promise<readonly SqlRow[]> {
    await clock.ready(limit.signal)
    if (limit.signal.aborted) return []
    try {
      return await driver.query(guard(statement, values.length + 1), [...values, clock.at(limit.end)], limit.signal)
    } catch (error) {
      if (!isLate(error) || !mayCompareAgain || performance.now() >= limit.end) throw error
      // It was undone although the deadline has not passed here: the server's clock was set.
      clock.forget()
      return write(statement, values, limit, false)
    }
  }

  return (statement, values, limit) => write(statement, values, limit, true)
}
