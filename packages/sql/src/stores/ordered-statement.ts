import type { SqlValue } from './sql-executor.ts'

/** A prepared statement: parameters in, rows out. */
export type OrderedStatement = (parameters: readonly SqlValue[]) => unknown[]

/**
 * Prepares a statement with `$1`, `$2`, … for a driver that takes `?` in their order, which every SQLite driver does. A
 * parameter that stands several times is given several times.
 */
export function bindInOrder(
  sql: string,
  prepare: (sql: string) => { all(...parameters: SqlValue[]): unknown[] },
): OrderedStatement {
  const order: number[] = []
  const text = sql.replace(/\$(\d+)/g, (_placeholder, number: string) => {
    order.push(Number(number) - 1)
    return '?'
  })
  const statement = prepare(text)
  return (parameters) => statement.all(...order.map((index) => parameters[index] ?? null))
}
