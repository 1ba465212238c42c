import { StoreError } from '@latchkey/store'
import type { ClientBase, Pool } from 'pg'

/** Returns the rows of a statement; a database that cannot answer is a 503, as with the stores of Latchkey. */
export type Query = <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>

export function createQuery(database: Pool | ClientBase): Query {
  return async <Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> => {
    if (cannotMatch(text, values)) return []
    try {
      return (await database.query<Row>(text, [...values])).rows
    } catch (cause) {
      throw new StoreError('STORE_UNAVAILABLE', 'the database of the publication failed', { cause })
    }
  }
}

/** PostgreSQL keeps no text with a NUL in it, and answers a question for one with an error. */
function cannotMatch(text: string, values: readonly unknown[]): boolean {
  const hasNul = (value: unknown): boolean => typeof value === 'string' && value.includes('\0')
  return !text.startsWith('insert') && values.flat().some(hasNul)
}
