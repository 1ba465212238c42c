import type { SqliteStoresOptions } from '@latchkey/sql'

/** The used part of a Durable Object's storage. */
export interface DurableStorage {
  readonly sql: { exec(text: string, ...values: unknown[]): { toArray(): unknown[] } }
  transactionSync<T>(work: () => T): T
}

type Database = ReturnType<SqliteStoresOptions['database']>

/** A Durable Object rejects these statements: the platform manages its settings and transactions. */
const ownBusiness = /^(pragma|begin|commit|rollback)\b/

/** The extended code of SQLite for a violated unique index, of which a Durable Object has only the text. */
const uniqueViolation = 2067

/**
 * Returns the SQLite of a Durable Object as the stores of `@latchkey/sql` use it. Each change is one statement, and the
 * object holds back its answers until the change is on disk.
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
