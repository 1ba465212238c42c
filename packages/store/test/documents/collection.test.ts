import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import { createCollection, defineStoredShape, documentId, isStoredCount } from '@latchkey/store/internal'
import { expect, test } from 'vitest'
import { slow } from './slow-documents.ts'

const shape = defineStoredShape<{ readonly count: number }>({ name: 'note', members: { count: isStoredCount } })
const open = (documents: DocumentStore = createMemoryDocumentStore()) => ({
  documents,
  notes: createCollection({ documents, name: 'note', shape, storedVersion: () => 2 }),
})
test('a collection returns parsed values, and draws a new version for every write', async () => {
  const { documents, notes } = open()
  const first = await notes.insert('n1', 'acc_1', { count: 0 })
  expect(await notes.insert('n1', 'acc_2', { count: 5 })).toBeNull()
  expect(await notes.get('n1')).toMatchObject({ id: 'n1', owner: 'acc_1', value: { count: 0 } })
  const second = first && (await notes.replace(first, { count: 1 }))
  expect(second?.version).not.toBe(first?.version)
  expect(first && (await notes.replace(first, { count: 2 }))).toBeNull()
  expect(await documents.get('note', 'n1')).toMatchObject({ owner: 'acc_1', value: '{"v":2,"count":1}' })
  expect(await notes.ownerOf('n1')).toBe('acc_1')
  expect(await notes.ownerOf('n2')).toBeUndefined()
})

test('update counts every one of many callers at once', async () => {
  const { documents, notes } = open()
  await notes.insert('n1', null, { count: 0 })
  const overlapping = open(slow(documents)).notes
  await Promise.all(
    Array.from({ length: 20 }, () => overlapping.update('n1', ({ value }) => ({ ...value, count: value.count + 1 }))),
  )
  expect((await notes.get('n1'))?.value.count).toBe(20)
})

test('update makes no change if the document is absent or the change is null', async () => {
  const { documents, notes } = open()
  expect(await notes.update('n1', ({ value }) => value)).toBeNull()
  const stored = await notes.insert('n1', null, { count: 0 })
  expect(await notes.update('n1', () => null)).toBeNull()
  expect((await documents.get('note', 'n1'))?.version).toBe(stored?.version)
})

test('put inserts an absent document once, however many callers there are', async () => {
  const { documents, notes } = open()
  const overlapping = open(slow(documents)).notes
  const put = () => overlapping.put('n1', 'acc_1', (current) => ({ count: (current?.value.count ?? 0) + 1 }))
  await Promise.all(Array.from({ length: 10 }, put))
  expect(await notes.get('n1')).toMatchObject({ owner: 'acc_1', value: { count: 10 } })
})

test('update gives up with STORE_UNAVAILABLE if another caller is always faster', async () => {
  const { documents } = open()
  const { notes } = open({ ...documents, replace: async () => false })
  await notes.insert('n1', null, { count: 0 })
  const given = notes.update('n1', ({ value }) => value)
  await expect(given).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})

test('lists read every page, and a cursor without end is refused', async () => {
  const { documents, notes } = open()
  const ids = Array.from({ length: 250 }, (_none, index) => `n${index}`)
  for (const id of ids) await notes.insert(id, 'acc_1', { count: 0 })
  expect((await notes.listAll()).map(({ id }) => id).sort()).toEqual([...ids].sort())
  expect(await notes.listByOwner('acc_1')).toHaveLength(250)
  const { notes: endless } = open({ ...documents, list: async () => ({ items: [], cursor: 'again' }) })
  await expect(endless.listAll()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(await notes.removeByOwner('acc_1')).toBe(250)
})

test('documentId distinguishes parts, with a separator at any position', () => {
  expect(documentId('a', 'b')).toMatch(/^[\w-]{43}$/)
  const ids = [documentId('a', 'b'), documentId('ab'), documentId('a,b'), documentId('a","b'), documentId('', 'ab')]
  expect(new Set(ids).size).toBe(ids.length)
})
