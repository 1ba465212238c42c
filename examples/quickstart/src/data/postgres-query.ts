import type { PostgresExecutor } from '@latchkey/sql'

/** Returns the rows of a statement; a database that does not answer is a 503, as with the stores of Latchkey. */
export type Query = <Row extends object>(text: string, values: readonly unknown[]) => Promise<readonly Row[]>

/** @param statement the `query` of an executor or of a transaction. */
export function createQuery(statement: PostgresExecutor['query']): Query {
  return async <Row extends object>(text: string, values: readonly unknown[]): Promise<readonly Row[]> =>
    cannotMatch(text, values) ? [] : statement<Row>(text, values)
}

/** PostgreSQL keeps no text with a NUL in it, and answers a question for one with an error. */
function cannotMatch(text: string, values: readonly unknown[]): boolean {
  const hasNul = (value: unknown): boolean => typeof value === 'string' && value.includes('\0')
  return !text.startsWith('insert') && values.flat().some(hasNul)
}
