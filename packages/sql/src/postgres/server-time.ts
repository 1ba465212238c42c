import { type SqlParameter, type SqlValue, storeTime } from '../statements/sql-executor.ts'

/** A statement whose time is that of the server, and the values that are left for its parameters. */
export interface TimedStatement {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Stable within a statement, so an index can be used with it. */
const serverTime = 'cast(floor(extract(epoch from statement_timestamp()) * 1000) as bigint)'

/**
 * Puts the server's own time in the place of `storeTime`: every process judges by exactly the same clock. The other
 * parameters are numbered anew, because PostgreSQL knows no type of one that is not used. Each statement is written once: it
 * has the time at the same places whenever it is executed.
 */
export function createTimedStatements(): (statement: string, parameters: readonly SqlParameter[]) => TimedStatement {
  const written = new Map<string, string>()
  return (statement, parameters) => {
    const text = written.get(statement) ?? write(statement, parameters)
    written.set(statement, text)
    return { text, values: parameters.filter((parameter) => parameter !== storeTime) }
  }
}

function write(statement: string, parameters: readonly SqlParameter[]): string {
  let used = 0
  const names = parameters.map((parameter) => (parameter === storeTime ? serverTime : `$${++used}`))
  return statement.replace(/\$(\d+)/g, (_name, number: string) => String(names[Number(number) - 1]))
}
