import { type SqlParameter, type SqlValue, storeTime } from '../statements/sql-executor.ts'

/** A statement with the server's time, and the values of its other parameters. */
export interface TimedStatement {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Stable within a statement, so an index can be used with it. */
const serverTime = 'cast(floor(extract(epoch from statement_timestamp()) * 1000) as bigint)'

/**
 * Replaces `storeTime` by the server's own time, so that every process uses exactly the same clock. The other
 * parameters are renumbered, because PostgreSQL knows no type of an unused parameter. Each statement is rewritten once,
 * because its times always have the same positions.
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
