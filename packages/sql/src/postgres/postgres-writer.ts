import type { SqlRow } from '../statements/sql-executor.ts'
import { type PostgresClock, undoWhenLate } from './postgres-clock.ts'
import type { PostgresDriver } from './postgres-driver.ts'
import { isLate } from './postgres-error.ts'
import type { StatementSignal } from './statement-signal.ts'

/** The deadline of an operation. */
export interface Limit {
  /** An instant of `performance.now()`. */
  readonly end: number
  readonly signal: StatementSignal
}

/** Runs a change that returns rows. The server undoes it when it executes it after the limit. */
export type PostgresWriter = (statement: string, values: readonly unknown[], limit: Limit) => Promise<readonly SqlRow[]>

/** @param send how the driver sends the statement. */
export function createPostgresWriter(send: PostgresDriver['query'], clock: PostgresClock): PostgresWriter {
  async function write(
    statement: string,
    values: readonly unknown[],
    limit: Limit,
    mayCompareAgain: boolean,
  ): Promise<readonly SqlRow[]> {
    await clock.ready(limit.signal)
    limit.signal.throwIfAborted()
    try {
      const text = undoWhenLate(statement, values.length + 1)
      return await send(text, [...values, clock.at(limit.end)], limit.signal)
    } catch (error) {
      if (!isLate(error) || !mayCompareAgain || performance.now() >= limit.end) throw error
      // It was undone although the deadline has not passed here: the server's clock was set.
      clock.forget()
      return write(statement, values, limit, false)
    }
  }

  return (statement, values, limit) => write(statement, values, limit, true)
}
