import { randomBytes } from '@latchkey/bytes'
import type { DocumentPage, DocumentStore, StoredDocument } from '../../document-store.ts'
import type { Page } from '../../record-store.ts'
import { same } from '../assertions.ts'
import { readPages } from '../read-pages.ts'
import type { TestTable } from '../test-runner.ts'
import { inCollection, insertFresh, newDocument } from './fresh-documents.ts'
import { type DurableBench, fresh, isOwnCopy, race } from './kit-bench.ts'

/** Returns the documents of all pages. */
export function readAll(list: (page: Page) => Promise<DocumentPage>, limit: number): Promise<StoredDocument[]> {
  return readPages('the list', limit, (page) => list({ limit, ...page }))
}

const sorted = (documents: readonly StoredDocument[]): readonly string[] =>
  documents.map(({ collection, id, value }) => `${collection} ${id} ${value}`).sort()

/** A collection that no other test uses. */
export function freshCollection(): string {
  return `kit-${[...randomBytes(20)].map((byte) => String.fromCharCode(97 + (byte % 26))).join('')}`
}

export const documentListing: TestTable<DurableBench<DocumentStore>> = {
  'list has every document of the collection once, in pages of any size': async ({ store, other }) => {
    const collection = freshCollection()
    const documents = await Promise.all(Array.from({ length: 7 }, () => insertFresh(store, { collection })))
    await insertFresh(store, { collection: `${collection}x` })
    for (const limit of [1, 3, 7, 100]) {
      const listed = await readAll((page) => other.list(collection, page), limit)
      same(sorted(listed), sorted(documents), `the documents in pages of ${limit}`)
    }
    same((await other.list(collection)).items.length, 7, 'the documents without a limit')
    await isOwnCopy(async () => (await store.list(collection)).items[0])
    await Promise.all(documents.map((document) => store.remove(document)))
    same(await readAll((page) => other.list(collection, page), 3), [], 'the documents after their removal')
  },

  'listByOwner has every document of the owner once, in all collections or in those named': async (bench) => {
    const { store, other } = bench
    const owner = fresh('acc')
    const collections = ['kit-one', 'kit-one-more', 'kit-three']
    const own = await Promise.all(
      collections.flatMap((collection) => [1, 2, 3].map(() => insertFresh(store, { owner, collection }))),
    )
    await insertFresh(store, { owner: fresh('acc'), collection: 'kit-one' })
    for (const limit of [1, 2, 9, 100]) {
      const all = await readAll((page) => other.listByOwner(owner, page), limit)
      same(sorted(all), sorted(own), `the owner's documents in pages of ${limit}`)
      for (const named of [['kit-three'], ['kit-one', 'kit-three'], ['kit-none'], []]) {
        const wanted = own.filter(({ collection }) => named.includes(collection))
        const some = await readAll((page) => other.listByOwner(owner, { ...page, collections: named }), limit)
        same(sorted(some), sorted(wanted), `the owner's documents in [${named}], in pages of ${limit}`)
      }
    }
    await isOwnCopy(async () => (await store.listByOwner(owner)).items[0])
    same(await other.removeByOwner(owner, { collections: ['kit-one'] }), 3, 'removeByOwner of one collection')
    same(await other.removeByOwner(owner, { collections: [] }), 0, 'removeByOwner of no collection')
    same((await store.listByOwner(owner)).items.length, 6, 'the documents of the other collections')
    const counts = await race(bench, (client) => client.removeByOwner(owner))
    same(
      counts.reduce((sum, count) => sum + count, 0),
      6,
      'the documents that all calls together removed',
    )
    same(await readAll((page) => store.listByOwner(owner, page), 3), [], 'the documents afterwards')
  },

  'lists omit no document that was inserted before, while others are inserted and removed': async (bench) => {
    const { store, other } = bench
    const [collection, owner] = [freshCollection(), fresh('acc')]
    const kept = await Promise.all(Array.from({ length: 25 }, () => insertFresh(store, { collection, owner })))
    const churn = Promise.all(
      Array.from({ length: 40 }, async (_none, index) => {
        const passing = newDocument({ collection, owner, value: 'passing' })
        await (index % 2 ? other : store).insert(passing)
        await store.remove(passing)
      }),
    )
    const listed = await readAll((page) => other.list(collection, page), 3)
    const owned = await readAll((page) => other.listByOwner(owner, page), 3)
    await churn
    for (const [what, found] of [
      ['list', listed],
      ['listByOwner', owned],
    ] as const) {
      const ids = found.map(({ id }) => id)
      same(kept.filter(({ id }) => !ids.includes(id)).length, 0, `the documents that ${what} omitted`)
      same(new Set(ids).size, ids.length, `the different documents that ${what} returned`)
    }
    await store.removeByOwner(owner)
  },

  'a document without an owner is in no list of an owner, and none with the name null': async ({ store, other }) => {
    const document = await insertFresh(store)
    for (const owner of ['null', '', 'undefined']) {
      const { items } = await other.listByOwner(owner, { collections: [inCollection] })
      same(
        items.some(({ id }) => id === document.id),
        false,
        `whether the owner ${JSON.stringify(owner)} has it`,
      )
    }
    same(await other.get(inCollection, document.id), document, 'the document')
  },

  'removeByOwner removes more than a page, and no replace brings a document back': async (bench) => {
    const { store, other } = bench
    const owner = fresh('acc')
    const documents = await Promise.all(Array.from({ length: 120 }, () => insertFresh(store, { owner })))
    const [removed] = await Promise.all([
      store.removeByOwner(owner),
      ...documents.slice(0, 20).map((document) => other.replace(document, { version: 'v2', value: 'late' })),
    ])
    same(removed, 120, 'the number of removed documents')
    same((await other.listByOwner(owner)).items, [], 'the documents after removeByOwner and late replaces')
  },
}
