import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores, type SqlStores } from '@latchkey/sql'

export interface CountedStores {
  readonly stores: SqlStores
  readonly clock: { time: number }
  /** Returns what the work returns, with the statements that the stores execute meanwhile. */
  readonly statementsOf: <Result>(
    work: () => Promise<Result>,
  ) => Promise<{ readonly result: Result; readonly statements: readonly string[] }>
}

/** Opens stores on SQLite that remember which statements they execute. */
export async function openCountedStores(): Promise<CountedStores> {
  const executed: string[] = []
  const clock = { time: 1_800_000_000_000 }
  const stores = createSqliteStores({
    now: () => clock.time,
    database() {
      const database = new DatabaseSync(':memory:')
      return {
        exec: (sql) => database.exec(sql),
        close: () => database.close(),
        prepare(sql) {
          const statement = database.prepare(sql)
          return {
            all(...values) {
              executed.push(sql.replaceAll('\n', ' '))
              return statement.all(...values)
            },
          }
        },
      }
    },
  })
  await stores.migrate()
  return {
    stores,
    clock,
    async statementsOf(work) {
      executed.length = 0
      const result = await work()
      return { result, statements: [...executed] }
    },
  }
}
