import { type SqlParameter, type SqlValue, storeTime } from '../statements/sql-executor.ts'

/** A statement whose time is that of the server, and the values that are left for its parameters. */
export interface TimedStatement {
  readonly text: string
  readonly values: readonly SqlValue[]
}

/** Stable within a statement, so an index can be used with it. */
const serverTime = 'cast(floor(extract(epoch from statement_timestamp()) * 1000) as bigint)'

/** A text that was written for the time at some places of its parameters. */
interface WrittenStatement {
  readonly text: string
  readonly isTime: readonly boolean[]
}

/**
 * Puts the server's own time in the place of `storeTime`: every process judges by exactly the same clock. The other
 * parameters are numbered anew, because PostgreSQL knows no type of one that is not used. Each statement is written once.
 */
export function createTimedStatements(): (statement: string, parameters: readonly SqlParameter[]) => TimedStatement {
  const written = new Map<string, WrittenStatement>()
  return (statement, parameters) => {
    const known = written.get(statement)
    const isSame = known?.isTime.length === parameters.length && parameters.every(isAsIn(known.isTime))
    const { text } = isSame ? known : write(statement, parameters)
    if (!isSame) written.set(statement, { text, isTime: parameters.map(isStoreTime) })
    return { text, values: parameters.filter((parameter) => parameter !== storeTime) }
  }
}

function write(statement: string, parameters: readonly SqlParameter[]): { readonly text: string } {
  let used = 0
  const names = parameters.map((parameter) => (parameter === storeTime ? serverTime : `$${++used}`))
  return { text: statement.replace(/\$(\d+)/g, (_name, number: string) => String(names[Number(number) - 1])) }
}

function isStoreTime(parameter: SqlParameter): boolean {
  return parameter === storeTime
}

function isAsIn(isTime: readonly boolean[]) {
  return (parameter: SqlParameter, index: number): boolean => isStoreTime(parameter) === isTime[index]
}
