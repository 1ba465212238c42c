import type { SqliteStoresOptions } from '@latchkey/sql'

/** The used part of a Durable Object's storage. */
export interface DurableStorage {
  readonly sql: { exec(text: string, ...values: unknown[]): { toArray(): unknown[] } }
  transactionSync<T>(work: () => T): T
}

type Database = ReturnType<SqliteStoresOptions['database']>

/** A Durable Object takes neither of them as SQL: it has settings and transactions of its own. */
const ownBusiness = /^(pragma|begin|commit|rollback)\b/

/** The extended code of SQLite for a violated unique index, of which a Durable Object has only the text. */
const uniqueViolation = 2067

/**
 * Returns the SQLite of a Durable Object as the stores of `@latchkey/sql` use it. Each of their changes is one statement, and
 * nothing is answered before it is on disk: the object holds back its answers until then.
 */
export function openDurableDatabase(storage: DurableStorage): Database {
  const { sql } = storage
  return {
    exec: (text) => (ownBusiness.test(text) ? undefined : storage.transactionSync(() => sql.exec(text))),
    prepare: (text) => ({
      all(...values) {
        try {
          return sql.exec(text, ...values).toArray()
        } catch (error) {
          const isTaken = error instanceof Error && error.message.includes('UNIQUE constraint failed')
          throw isTaken ? Object.assign(error, { errcode: uniqueViolation }) : error
        }
      },
    }),
    close: () => undefined,
  }
}
