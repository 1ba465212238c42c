import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores, type SqlStores } from '@latchkey/sql'
import { type Page, storedVersion } from '@latchkey/store'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from '../database-file.ts'

type SqlValue = string | number | null

async function openStores(file = newDatabaseFile()): Promise<SqlStores & { readonly file: string }> {
  const stores = createSqliteStores({ database: () => new DatabaseSync(file) })
  onTestFinished(() => stores.close())
  await stores.migrate()
  return { ...stores, file }
}

function openDatabase(file: string): DatabaseSync {
  const database = new DatabaseSync(file)
  onTestFinished(() => database.close())
  return database
}

const row = {
  chain: 'one',
  at: 1_790_000_000_000,
  entry: 'en_1',
  state: 'done',
  kind: 'password.changed',
  accountId: 'acc_1',
  value: '',
  personal: null,
} as const

describe('a page', () => {
  test.each([0, -1, 1.5, Number.NaN])('of %d rows is a TypeError of the caller', async (limit) => {
    const { audit, documents, accounts } = await openStores()
    const error = new TypeError('"limit" must be an integer of at least 1')
    for (const store of [audit, accounts]) await expect(store.list({ limit })).rejects.toThrow(error)
    await expect(documents.list('note', { limit })).rejects.toThrow(error)
  })

  test('with the last row has no cursor', async () => {
    const { audit, documents } = await openStores()
    await audit.append([
      { ...row, sequence: 1 },
      { ...row, sequence: 2 },
    ])
    for (const id of ['a', 'b'])
      await documents.insert({ collection: 'note', id, owner: null, version: '1', value: '' })
    for (const list of [audit.list, (page?: Page) => documents.list('note', page)]) {
      const { items, cursor } = await list({ limit: 1 })
      expect([items.length, typeof cursor]).toEqual([1, 'string'])
      const last = await list({ limit: 1, ...(cursor !== undefined && { cursor }) })
      expect([last.items.length, last.cursor]).toEqual([1, undefined])
      const both = await list({ limit: 2 })
      expect([both.items.length, both.cursor]).toEqual([2, undefined])
    }
  })

  test('of an empty table is empty', async () => {
    const { audit, documents } = await openStores()
    for (const listed of [audit.list(), documents.list('note')]) expect(await listed).toEqual({ items: [] })
  })
})

describe('the version of stored values', () => {
  test('is one setting of several, and a raise changes no other', async () => {
    const { versions, file } = await openStores()
    const database = openDatabase(file)
    database.exec("insert into latchkey_settings (name, value) values ('another', 1), ('stored', 99)")
    expect(await versions.get()).toBe(storedVersion)
    expect(await versions.raise(storedVersion + 1)).toBe(storedVersion + 1)
    const settings = database.prepare('select name, value from latchkey_settings order by name').all()
    expect(settings.map(({ name, value }) => [name, value])).toEqual([
      ['another', 1],
      ['stored', 99],
      ['stored-version', storedVersion + 1],
    ])
  })

  test('is 0 where none was stored', async () => {
    const { versions, file } = await openStores()
    openDatabase(file).exec('delete from latchkey_settings')
    expect(await versions.get()).toBe(0)
  })
})

describe('denials that are over', () => {
  test('are removed two hundred at a time, so that no request waits for thousands', async () => {
    let time = 1_800_000_000_000
    const file = newDatabaseFile()
    const stores = createSqliteStores({ database: () => new DatabaseSync(file), now: () => time })
    onTestFinished(() => stores.close())
    await stores.migrate()
    for (let count = 0; count < 250; count++) await stores.denials.deny(`jti:old-${count}`, time + 1000)
    time += 1000
    for (let count = 0; count < 50; count++) await stores.denials.deny(`jti:new-${count}`, time + 1000)
    const [{ count: left } = { count: 0 }] = openDatabase(file)
      .prepare("select count(*) as count from latchkey_denials where id like 'jti:old-%'")
      .all()
    expect(left).toBe(50)
  })

  test('do not make a denial fail when they cannot be removed', async () => {
    const { file } = await openStores()
    const database = openDatabase(file)
    const prepare = (sql: string) => {
      const statement = database.prepare(sql)
      const all = (...parameters: SqlValue[]) => {
        if (sql.startsWith('delete from latchkey_denials')) throw new Error('database disk image is malformed')
        return statement.all(...parameters)
      }
      return { all }
    }
    const { denials } = createSqliteStores({
      database: () => ({ exec: (sql) => database.exec(sql), prepare, close: () => {} }),
    })
    const ids = Array.from({ length: 120 }, (_none, index) => `jti:${index}`)
    for (const id of ids) await denials.deny(id, Date.now() + 60_000)
    for (const id of ids) expect(await denials.isAnyDenied([id])).toBe(true)
  })
})
