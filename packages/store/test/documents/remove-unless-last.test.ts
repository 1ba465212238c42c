import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import { listPages, removeUnlessLast } from '@latchkey/store/internal'
import { expect, test } from 'vitest'
import { slow } from './slow-documents.ts'

const owner = 'acc_1'
const document = (id: string) => ({
  collection: id.startsWith('p') ? 'passkey' : 'link',
  id,
  owner,
  version: '1',
  value: id,
})

/** Returns the removal of a document beside the others of the account, in both collections. */
function removalOver(documents: DocumentStore) {
  return (id: string, needsOther = true) =>
    removeUnlessLast(documents, async () => {
      const owned = await listPages((page) => documents.listByOwner(owner, page))
      const others = owned.filter((each) => each.id !== id)
      return { current: owned.find((each) => each.id === id) ?? null, others: needsOther ? others : null }
    })
}

const open = async (ids: readonly string[]) => {
  const documents = createMemoryDocumentStore()
  for (const id of ids) await documents.insert(document(id))
  return { documents, remove: removalOver(slow(documents)) }
}

test.each([2, 3, 5])('one of %d documents of two collections that are removed at once stays', async (length) => {
  for (let round = 0; round < 20; round++) {
    const ids = Array.from({ length }, (_none, index) => `${index % 2 ? 'p' : 'l'}${index}`)
    const { documents, remove } = await open(ids)
    const outcomes = await Promise.all(ids.map((id) => remove(id)))
    expect(outcomes.toSorted()).toEqual(['last', ...ids.slice(1).map(() => 'removed')])
    expect((await documents.listByOwner(owner)).items).toHaveLength(1)
  }
})

test('the last document stays, unless the rule is turned off', async () => {
  const { documents, remove } = await open(['p1'])
  expect(await remove('p1')).toBe('last')
  expect(await documents.get('passkey', 'p1')).toEqual(document('p1'))
  expect(await remove('p1', false)).toBe('removed')
  expect(await documents.get('passkey', 'p1')).toBeNull()
})

test('an absent document is reported as absent, and the others do not change', async () => {
  const { documents, remove } = await open(['p1', 'l1'])
  expect(await remove('p2')).toBe('absent')
  expect((await documents.listByOwner(owner)).items.map(({ version }) => version)).toEqual(['1', '1'])
})

test('the document that stays keeps its value, in a new version', async () => {
  const { documents, remove } = await open(['p1', 'l1'])
  expect(await remove('p1')).toBe('removed')
  const kept = await documents.get('link', 'l1')
  expect(kept).toMatchObject({ owner, value: 'l1' })
  expect(kept?.version).not.toBe('1')
})

test('a document that another caller has changed is removed in its new version', async () => {
  const { documents } = await open(['p1', 'l1'])
  let isFirst = true
  const remove = removalOver({
    ...documents,
    async remove(given) {
      if (isFirst) await documents.replace(document('p1'), { version: '2', value: 'changed' })
      isFirst = false
      return documents.remove(given)
    },
  })
  expect(await remove('p1')).toBe('removed')
  expect(await documents.get('passkey', 'p1')).toBeNull()
})

test('STORE_UNAVAILABLE says that other callers are always faster', async () => {
  const { documents } = await open(['p1', 'l1'])
  const removing = removalOver({ ...documents, replace: async () => false })('p1')
  await expect(removing).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect((await documents.listByOwner(owner)).items).toHaveLength(2)
})
