import type { DocumentPage, DocumentStore, StoredDocument } from '../../document-store.ts'
import type { Page } from '../../record-store.ts'
import { holds, same } from '../assertions.ts'
import type { TestTable } from '../test-runner.ts'
import { freshCollection, readAll } from './document-listing.ts'
import { inCollection, insertFresh, newDocument } from './fresh-documents.ts'
import { type DurableBench, fresh } from './kit-bench.ts'

/** More than the limit of a page, a batch or a scan in most databases. */
const manyDocuments = 1050
/** Inserted in parallel: a pool of connections serves its queue before the deadline. */
const atOnce = 50

/** Lists and removals while documents come and go. */
export const documentPaging: TestTable<DurableBench<DocumentStore>> = {
  'a document is listed as soon as its insert has resolved': async ({ store, other }) => {
    for (let round = 0; round < 5; round++) {
      const [owner, collection] = [fresh('acc'), freshCollection()]
      const document = await insertFresh(store, { owner, collection })
      same((await other.listByOwner(owner)).items, [document], 'listByOwner right after the insert')
      same((await other.list(collection)).items, [document], 'list right after the insert')
      await store.remove(document)
    }
  },

  'a list goes on after documents of its earlier pages are removed': async (bench) => {
    await eachList(bench, async (list, documents) => {
      const first = await list({ limit: 3 })
      await Promise.all(first.items.map((document) => bench.store.remove(document)))
      const found = [...first.items, ...(await readRest(list, first))]
      same(idsOf(found), idsOf(documents), 'the ids of all pages')
    })
  },

  'a list goes on while documents are replaced': async (bench) => {
    await eachList(bench, async (list, documents) => {
      const first = await list({ limit: 3 })
      const rest = documents.filter(({ id }) => !idsOf(first.items).includes(id))
      const swaps = rest.map((document, index) =>
        bench.store.replace(document, { version: `${index % 2 ? '!' : '~'}${index}`, value: 'second' }),
      )
      await Promise.all(swaps)
      const found = [...first.items, ...(await readRest(list, first))]
      same(idsOf(found), idsOf(documents), 'the ids of all pages')
    })
  },

  'an id that is inserted again belongs to its new owner alone': async ({ store, other }) => {
    const [former, next] = [fresh('acc'), fresh('acc')]
    const document = await insertFresh(store, { owner: former })
    await store.remove(document)
    const again = await insertFresh(other, { id: document.id, owner: next, version: 'v2' })
    same((await store.listByOwner(former)).items, [], 'listByOwner of the former owner')
    same(await store.removeByOwner(former), 0, 'removeByOwner of the former owner')
    same((await store.listByOwner(next)).items, [again], 'listByOwner of the new owner')
    await store.remove(again)
  },

  'removeByOwner removes what another client has just inserted': async ({ store, other }) => {
    for (const [one, two] of [
      [store, other],
      [other, store],
    ] as const) {
      const owner = fresh('acc')
      const document = await insertFresh(one, { owner })
      same(await two.removeByOwner(owner), 1, 'removeByOwner of another client')
      same(await one.get(inCollection, document.id), null, 'the removed document')
    }
  },

  'what is inserted beside removeByOwner is either removed or listed': async ({ store, other }) => {
    for (let round = 0; round < 10; round++) {
      const owner = fresh('acc')
      await Promise.all(Array.from({ length: 4 }, () => insertFresh(store, { owner })))
      const late = Array.from({ length: 6 }, () => newDocument({ owner }))
      await Promise.all([other.removeByOwner(owner), ...late.map((document) => store.insert(document))])
      const listed = idsOf(await readAll((page) => other.listByOwner(owner, page), 100))
      for (const { id } of late) {
        const isThere = (await store.get(inCollection, id)) !== null
        same(listed.includes(id), isThere, 'whether a document that get returns is listed by its owner')
      }
      await store.removeByOwner(owner)
    }
  },

  'a list and a removal go beyond 1,000 documents': async ({ store, other }) => {
    const owner = fresh('acc')
    for (let count = 0; count < manyDocuments; count += atOnce) {
      await Promise.all(Array.from({ length: atOnce }, () => insertFresh(store, { owner })))
    }
    holds((await other.listByOwner(owner)).items.length <= 100, 'a page must have at most 100 documents by default')
    const listed = await readAll((page) => other.listByOwner(owner, page), 100)
    same(new Set(idsOf(listed)).size, manyDocuments, 'the number of listed documents')
    same(await store.removeByOwner(owner), manyDocuments, 'the count of removeByOwner')
    same((await other.listByOwner(owner)).items, [], 'the documents afterwards')
  },
}

type List = (page: Page) => Promise<DocumentPage>

/** Acts on each list of eight documents. */
async function eachList(
  { store, other }: DurableBench<DocumentStore>,
  act: (list: List, documents: readonly StoredDocument[]) => Promise<void>,
): Promise<void> {
  for (const isOwned of [false, true]) {
    const [owner, collection] = [fresh('acc'), freshCollection()]
    const documents = await Promise.all(
      Array.from({ length: 8 }, (_none, index) => insertFresh(store, { owner, collection, version: `v${index}` })),
    )
    await act((page) => (isOwned ? other.listByOwner(owner, page) : other.list(collection, page)), documents)
    await store.removeByOwner(owner)
  }
}

async function readRest(list: List, { cursor }: DocumentPage): Promise<readonly StoredDocument[]> {
  if (cursor === undefined) throw new Error('a page must have a cursor while there is more')
  return readAll((page) => list({ cursor, ...page }), 3)
}

function idsOf(documents: readonly StoredDocument[]): readonly string[] {
  return documents.map(({ id }) => id).sort()
}
