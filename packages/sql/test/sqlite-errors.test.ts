import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores, type SqliteDatabase } from '@latchkey/sql'
import { expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from './database-file.ts'

const record = { key: 'se_1', owner: 'acc_1', expiresAt: Date.now() + 60_000, value: '' }

/** Stores on a database whose inserts are refused with this error, as drivers of several kinds report it. */
async function storesRefusing(error: object) {
  const real = new DatabaseSync(':memory:')
  let isRefusing = false
  const prepare: SqliteDatabase['prepare'] = (sql) => {
    if (!isRefusing || !sql.startsWith('insert')) return real.prepare(sql)
    return {
      all: () => {
        throw Object.assign(new Error('refused'), error)
      },
    }
  }
  const database: SqliteDatabase = { exec: (sql) => real.exec(sql), prepare, close: () => real.close() }
  const stores = createSqliteStores({ database: () => database })
  onTestFinished(() => stores.close())
  await stores.migrate()
  isRefusing = true
  return stores
}

test.each([
  { errcode: 1555 },
  { errcode: 2067 },
  { code: 'SQLITE_CONSTRAINT_UNIQUE' },
  { code: 'SQLITE_CONSTRAINT_PRIMARYKEY' },
])('insert returns false for %j', async (error) => {
  const { records } = await storesRefusing(error)
  expect(await records.insert(record)).toBe(false)
})

test.each([
  { errcode: 275 },
  { errcode: 19 },
  { code: 'SQLITE_CONSTRAINT_CHECK' },
  { code: 'SQLITE_CONSTRAINT_UNIQUENESS' },
  { code: 'NOT_SQLITE_CONSTRAINT_UNIQUE' },
  {},
])('%j is an outage, and never an answer', async (error) => {
  const { records } = await storesRefusing(error)
  await expect(records.insert(record)).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    cause: expect.objectContaining({ message: 'refused', ...error }),
  })
})

test('missing tables are reported with the cause', async () => {
  const stores = createSqliteStores({ database: () => new DatabaseSync(':memory:') })
  onTestFinished(() => stores.close())
  await expect(stores.records.get('se_1')).rejects.toMatchObject({
    code: 'STORE_NOT_MIGRATED',
    cause: { message: expect.stringContaining('no such table') },
  })
})

test.each([
  ['a file', newDatabaseFile, () => ':memory:', false],
  ['memory', () => ':memory:', newDatabaseFile, true],
])(
  'stores are kept in %s, with any other database attached to the connection',
  async (_what, main, attached, isInMemory) => {
    const [path, other] = [main(), attached()]
    const database = () => {
      const opened = new DatabaseSync(path)
      opened.exec(`attach '${other}' as other`)
      return opened
    }
    const stores = createSqliteStores({ database })
    onTestFinished(() => stores.close())
    expect(await stores.isInMemory()).toBe(isInMemory)
  },
)
