import { StoreError } from '@latchkey/store'
import type { ClientBase, Pool } from 'pg'

/** Gives the rows of a statement; a database that cannot answer is a 503, as with the stores of Latchkey. */
export type Query = <Row extends object>(text: string, values: readonly unknown[]) => Promise<Row[]>

export function createQuery(database: Pool | ClientBase): Query {
  return async <Row extends object>(text: string, values: readonly unknown[]): Promise<Row[]> => {
    try {
      return (await database.query<Row>(text, [...values])).rows
    } catch (cause) {
      throw new StoreError('STORE_UNAVAILABLE', 'the database of the publication failed', { cause })
    }
  }
}
