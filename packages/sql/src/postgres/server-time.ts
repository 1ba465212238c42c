import { type SqlParameter, type SqlValue, storeTime } from '../stores/sql-executor.ts'

/** A statement whose time is that of the server, and the values that are left for its parameters. */
export interface TimedStatement {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Stable within a statement, so an index can be used with it. */
const serverTime = 'cast(floor(extract(epoch from statement_timestamp()) * 1000) as bigint)'

/**
 * Puts the server's own time in the place of `storeTime`: every process judges by exactly the same clock. The other
 * parameters are numbered anew, because PostgreSQL knows no type of one that is not used.
 */
export function withServerTime(statement: string, parameters: readonly SqlParameter[]): TimedStatement {
  let used = 0
  const names = parameters.map((parameter) => (parameter === storeTime ? serverTime : `$${++used}`))
  return {
    text: statement.replace(/\$(\d+)/g, (_name, number: string) => String(names[Number(number) - 1])),
    values: parameters.filter((parameter) => parameter !== storeTime),
  }
}
