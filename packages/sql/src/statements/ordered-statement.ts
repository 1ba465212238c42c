import type { SqlValue } from './sql-executor.ts'

/** A prepared statement: parameters in, rows out. */
export type OrderedStatement = (parameters: readonly SqlValue[]) => unknown[]

/**
 * Prepares a statement with `$1`, `$2`, … for a driver with positional `?`, as every SQLite driver has. A parameter
 * that occurs several times is passed several times.
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
  const isInOrder = order.every((number, index) => number === index)
  if (isInOrder) return (parameters) => statement.all(...parameters)
  return (parameters) => statement.all(...order.map((index) => parameters[index] ?? null))
}
