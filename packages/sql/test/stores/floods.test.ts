import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores, type SqlStores } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'

const addToFloods = {
  counters: (stores: SqlStores, name: string, ms: number) => stores.counters.hit(name, ms),
}

test.each(Object.entries(addToFloods))(
  'the rows that a flood of %s left are gone after a few new rows',
  async (table, add) => {
    let time = 1_800_000_000_000
    const database = new DatabaseSync(':memory:')
    const stores = createSqliteStores({ database: () => database, now: () => time })
    onTestFinished(() => stores.close())
    await stores.migrate()
    for (let count = 0; count < 10_000; count++) await add(stores, `old ${count}`, 1000)
    time += 1000
    for (let count = 0; count < 100; count++) await add(stores, `new ${count}`, 1000)
    expect(database.prepare(`select count(*) as count from latchkey_${table}`).get()).toEqual({ count: 100 })
  },
)
