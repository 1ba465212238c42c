import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores, type SqliteDatabase, type SqlStores } from '@latchkey/sql'
import BetterSqlite from 'better-sqlite3'
import { afterAll, describe } from 'vitest'
import { describeKits } from './describe-kits.ts'

const drivers: readonly (readonly [name: string, open: (file: string) => SqliteDatabase])[] = [
  ['node:sqlite', (file) => new DatabaseSync(file)],
  ['better-sqlite3', (file) => new BetterSqlite(file)],
]

describe.each(drivers)('%s in memory, on its own clock', (_driver, open) => {
  let time = Date.UTC(2026, 0, 1)
  const now = () => time
  const wait = async (milliseconds: number) => {
    time += milliseconds
  }
  // A database in memory has one connection: a client on another clock moves the clock for the time of its calls.
  let skewed = now
  const stores = createSqliteStores({ database: () => open(':memory:'), now: () => skewed() })
  const connect = async (clock?: () => number) => {
    await stores.migrate()
    return clock ? { ...stores, records: onClock(stores.records, clock) } : stores
  }
  const onClock = (records: SqlStores['records'], clock: () => number): SqlStores['records'] => {
    const shifted =
      <Given extends unknown[], Answer>(method: (...given: Given) => Promise<Answer>) =>
      async (...given: Given): Promise<Answer> => {
        skewed = clock
        return method(...given).finally(() => {
          skewed = now
        })
      }
    return {
      ...records,
      insert: shifted(records.insert),
      get: shifted(records.get),
      replace: shifted(records.replace),
      touch: shifted(records.touch),
      remove: shifted(records.remove),
      listByOwner: shifted(records.listByOwner),
      removeByOwner: shifted(records.removeByOwner),
      sweep: shifted(records.sweep),
    }
  }
  afterAll(() => stores.close())
  describeKits(connect, { now, wait })
})
