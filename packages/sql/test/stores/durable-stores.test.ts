import { DatabaseSync } from 'node:sqlite'
import { createSqliteStores, type SqlStores } from '@latchkey/sql'
import type { Page } from '@latchkey/store'
import { describe, expect, onTestFinished, test } from 'vitest'
import { newDatabaseFile } from '../database-file.ts'

async function openStores(): Promise<SqlStores> {
  const stores = createSqliteStores({ database: () => new DatabaseSync(newDatabaseFile()) })
  onTestFinished(() => stores.close())
  await stores.migrate()
  return stores
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
  test.each([0, -1, 1.5, Number.NaN])('is a TypeError if it has %d rows', async (limit) => {
    const { audit, documents, accounts } = await openStores()
    const error = new TypeError('"limit" must be an integer of at least 1')
    for (const store of [audit, accounts]) await expect(store.list({ limit })).rejects.toThrow(error)
    await expect(documents.list('note', { limit })).rejects.toThrow(error)
  })

  test('has no cursor if it contains the last row', async () => {
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

  test('is empty if the table is empty', async () => {
    const { audit, documents } = await openStores()
    for (const listed of [audit.list(), documents.list('note')]) expect(await listed).toEqual({ items: [] })
  })
})
