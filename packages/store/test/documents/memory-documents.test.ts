import { createMemoryDocumentStore, type Page } from '@latchkey/store'
import { expect, test } from 'vitest'

test.each([0, -1, Number.NaN])('a page of %d documents is a TypeError', async (limit) => {
  const documents = createMemoryDocumentStore()
  const refused = '"limit" must be at least 1'
  await expect(documents.list('note', { limit })).rejects.toThrow(refused)
  await expect(documents.listByOwner('o', { limit })).rejects.toThrow(refused)
})

test('a page with the last document has no cursor, and the page after the last document is empty', async () => {
  const documents = createMemoryDocumentStore()
  for (const id of ['1', '2']) await documents.insert({ collection: 'note', id, owner: 'o', version: 'v', value: '' })
  for (const list of [(page: Page) => documents.list('note', page), (page: Page) => documents.listByOwner('o', page)]) {
    const all = await list({ limit: 2 })
    expect([all.items.length, all.cursor]).toEqual([2, undefined])
    const { items, cursor = '' } = await list({ limit: 1 })
    expect(items).toMatchObject([{ id: '1' }])
    const last = await list({ limit: 1, cursor })
    expect([last.items[0]?.id, last.cursor]).toEqual(['2', undefined])
    const [second] = last.items
    await documents.remove({ collection: 'note', id: '2' })
    expect(await list({ cursor })).toEqual({ items: [] })
    await documents.insert(second ?? expect.unreachable())
  }
})
