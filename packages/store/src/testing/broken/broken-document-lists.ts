import { pause } from '@latchkey/core/internal'
import type { DocumentPage, DocumentStore, StoredDocument } from '../../document-store.ts'
import type { Page } from '../../record-store.ts'
import { type BrokenDocumentStore, brokenDocument } from './broken-document.ts'
import { keyOf, pageOf, type SlowDocuments } from './slow-document-store.ts'

const listed = 'list has every document of the collection once, in pages of any size'
const owned = 'listByOwner has every document of the owner once, in all collections or in those named'
const removedAll = 'removeByOwner removes more than a page, and no replace brings a document back'
const beside = 'what is inserted beside removeByOwner is either removed or listed'
const many = 'a list and a removal go beyond 1,000 documents'
const goesOn = 'a list goes on after documents of its earlier pages are removed'

/** Stores whose lists omit, repeat or invent documents, and whose removals leave some of them. */
export const brokenDocumentLists: readonly BrokenDocumentStore[] = [
  brokenDocument('list ends with the first page', listed, ({ store }) => ({
    list: async (collection, page) => ({ items: (await store.list(collection, page)).items }),
  })),
  brokenDocument('list never ends', listed, ({ store }) => ({
    list: async (collection, page) => ({ cursor: 'again', ...(await store.list(collection, page)) }),
  })),
  brokenDocument('listByOwner begins again with each cursor', owned, ({ store }) => ({
    async listByOwner(owner, { cursor: _cursor, ...options } = {}) {
      return { cursor: 'again', ...(await store.listByOwner(owner, options)) }
    },
  })),
  brokenDocument('list ignores its limit', listed, ({ store }) => ({
    list: (collection, page = {}) => store.list(collection, { ...page, limit: 1000 }),
  })),
  brokenDocument('list goes by the prefix of a collection', listed, ({ sorted, roundTrip }) => ({
    async list(collection, page) {
      await roundTrip()
      return pageOf(
        sorted().filter((one) => one.collection.startsWith(collection)),
        page,
      )
    },
  })),
  brokenDocument('list repeats the last document of the page before', listed, ({ sorted, roundTrip }) => ({
    async list(collection, { limit = 100, cursor = '' } = {}) {
      await roundTrip()
      const rest = sorted().filter((one) => one.collection === collection && keyOf(one) >= cursor)
      const items = rest.slice(0, limit + 1)
      const last = items.at(-1)
      return last && rest.length > items.length ? { items: items.slice(0, limit), cursor: keyOf(last) } : { items }
    },
  })),
  brokenDocument('list returns the stored objects themselves', listed, (slow) => ({
    async list(collection, page) {
      const { items, ...rest } = await slow.store.list(collection, page)
      return { items: items.map((item) => slow.find(collection, item.id) ?? item), ...rest }
    },
  })),
  brokenDocument('list counts its pages from the start', goesOn, ({ store }) => ({
    list: (collection, page) => countedPage(page, async (all) => (await store.list(collection, all)).items),
  })),
  brokenDocument('listByOwner counts its pages from the start', goesOn, ({ store }) => ({
    listByOwner: (owner, { collections, ...page } = {}) =>
      countedPage(
        page,
        async (all) => (await store.listByOwner(owner, { ...all, ...(collections && { collections }) })).items,
      ),
  })),
  brokenDocument(
    'a list is in the order of versions',
    'a list goes on while documents are replaced',
    ({ sorted, ownedBy }) => ({
      list: async (collection, page) =>
        byVersion(
          sorted().filter((one) => one.collection === collection),
          page,
        ),
      listByOwner: async (owner, options) => byVersion(ownedBy(owner, options?.collections), options),
    }),
  ),
  brokenDocument('listByOwner chooses collections after the limit', owned, ({ store }) => ({
    async listByOwner(owner, { collections, ...page } = {}) {
      const { items } = await store.listByOwner(owner, page)
      return { items: items.filter(({ collection }) => collections?.includes(collection) ?? true) }
    },
  })),
  brokenDocument('listByOwner ignores the named collections', owned, ({ store }) => ({
    listByOwner: (owner, { collections: _collections, ...page } = {}) => store.listByOwner(owner, page),
  })),
  brokenDocument('no named collection is every collection', owned, ({ store }) => ({
    listByOwner: (owner, { collections = [], ...page } = {}) =>
      store.listByOwner(owner, { ...page, ...(collections.length > 0 && { collections }) }),
  })),
  brokenDocument('named collections are prefixes', owned, (slow) => ({
    listByOwner: (owner, { collections, ...page } = {}) =>
      slow.store.listByOwner(owner, { ...page, ...(collections && { collections: withPrefix(slow, collections) }) }),
  })),
  brokenDocument('listByOwner reads the first named collection only', owned, ({ store }) => ({
    listByOwner: (owner, { collections, ...page } = {}) =>
      store.listByOwner(owner, { ...page, ...(collections && { collections: collections.slice(0, 1) }) }),
  })),
  brokenDocument(
    'documents without an owner belong to the owner ""',
    'a document without an owner is in no list of an owner, and none with the name null',
    (slow) => ({
      async listByOwner(owner, options) {
        if (owner !== '') return slow.store.listByOwner(owner, options)
        await slow.roundTrip()
        return { items: slow.sorted().filter((one) => one.owner === null) }
      },
    }),
  ),
  brokenDocument(
    'an owner keeps what was removed and inserted for another',
    'an id that is inserted again belongs to its new owner alone',
    rememberingOwners,
  ),
  brokenDocument(
    'an owner is told of a document after the insert',
    'a document is listed as soon as its insert has resolved',
    indexingLate,
  ),
  brokenDocument('lists end at 1,000 documents', many, ({ roundTrip, ownedBy }) => ({
    async listByOwner(owner, { collections, ...page } = {}) {
      await roundTrip()
      return pageOf(ownedBy(owner, collections).slice(0, 1000), page)
    },
  })),
  brokenDocument('a list without a limit has every document', many, ({ store }) => ({
    listByOwner: (owner, options) => store.listByOwner(owner, { limit: 100_000, ...options }),
  })),

  brokenDocument('removeByOwner removes the first page only', removedAll, ({ store }) => ({
    async removeByOwner(owner, options) {
      const { items } = await store.listByOwner(owner, options)
      return (await Promise.all(items.map(({ collection, id }) => store.remove({ collection, id })))).filter(Boolean)
        .length
    },
  })),
  brokenDocument('removeByOwner loses to a late replace', removedAll, (slow) => ({
    async removeByOwner(owner, { collections } = {}) {
      await slow.roundTrip()
      const found = slow.ownedBy(owner, collections)
      return (await Promise.all(found.map((one) => slow.store.remove(one)))).filter(Boolean).length
    },
  })),
  brokenDocument('removeByOwner removes 1,000 documents at most', many, (slow) => ({
    async removeByOwner(owner, { collections } = {}) {
      await slow.roundTrip()
      const found = slow.ownedBy(owner, collections)
      return found.slice(0, 1000).filter((one) => slow.documents.delete(keyOf(one))).length
    },
  })),
  brokenDocument('removeByOwner counts what another call removed', owned, (slow) => ({
    async removeByOwner(owner, { collections } = {}) {
      const found = slow.ownedBy(owner, collections)
      await slow.store.removeByOwner(owner, collections && { collections })
      return found.length
    },
  })),
  brokenDocument('removeByOwner ignores the named collections', owned, ({ store }) => ({
    removeByOwner: (owner) => store.removeByOwner(owner),
  })),
  brokenDocument(
    'removeByOwner goes by what this client has inserted',
    'removeByOwner removes what another client has just inserted',
    (slow) => {
      const own = new Set<string>()
      return {
        async insert(document) {
          const isStored = await slow.store.insert(document)
          if (isStored) own.add(keyOf(document))
          return isStored
        },
        async removeByOwner(owner, { collections } = {}) {
          await slow.roundTrip()
          const found = slow.ownedBy(owner, collections).filter((one) => own.has(keyOf(one)))
          return found.filter((one) => slow.documents.delete(keyOf(one))).length
        },
      }
    },
  ),
  brokenDocument('removeByOwner forgets the owner', beside, clearingOwners),
]

async function countedPage(
  { limit = 100, cursor = '0' }: Page = {},
  readAll: (page: Page) => Promise<readonly StoredDocument[]>,
): Promise<DocumentPage> {
  const all = await readAll({ limit: 10_000 })
  const end = Number(cursor) + limit
  const items = all.slice(Number(cursor), end)
  return end < all.length ? { items, cursor: String(end) } : { items }
}

function byVersion(found: readonly StoredDocument[], { limit = 100, cursor = '' }: Page = {}): DocumentPage {
  const placeOf = (document: StoredDocument) => `${document.version} ${keyOf(document)}`
  const rest = found.filter((one) => placeOf(one) > cursor).sort((one, two) => (placeOf(one) < placeOf(two) ? -1 : 1))
  const items = rest.slice(0, limit).map((one) => ({ ...one }))
  const last = items.at(-1)
  return last && rest.length > limit ? { items, cursor: placeOf(last) } : { items }
}

/** Returns the stored collections that begin with one of these names. */
function withPrefix({ sorted }: SlowDocuments, names: readonly string[]): readonly string[] {
  return sorted()
    .map(({ collection }) => collection)
    .filter((collection) => names.some((name) => collection.startsWith(name)))
}

/** A separate index of the documents, which the clients of a backend share. */
const indexes = new WeakMap<SlowDocuments['documents'], Map<string, Set<string>>>()

function indexOf({ documents }: SlowDocuments): Map<string, Set<string>> {
  const index = indexes.get(documents) ?? new Map<string, Set<string>>()
  indexes.set(documents, index)
  return index
}

function addTo(index: Map<string, Set<string>>, document: StoredDocument): void {
  const owner = document.owner ?? ''
  index.set(owner, (index.get(owner) ?? new Set<string>()).add(keyOf(document)))
}

function rememberingOwners(slow: SlowDocuments): Partial<DocumentStore> {
  const index = indexOf(slow)
  return {
    async insert(document) {
      addTo(index, document)
      return slow.store.insert(document)
    },
    async listByOwner(owner, { collections, ...page } = {}) {
      await slow.roundTrip()
      const found = slow.sorted().filter((one) => index.get(owner)?.has(keyOf(one)))
      return pageOf(collections ? found.filter(({ collection }) => collections.includes(collection)) : found, page)
    },
  }
}

function indexingLate(slow: SlowDocuments): Partial<DocumentStore> {
  const index = indexOf(slow)
  return {
    async insert(document) {
      const isStored = await slow.store.insert(document)
      if (isStored) pause(20).then(() => addTo(index, document))
      return isStored
    },
    async listByOwner(owner, { collections, ...page } = {}) {
      await slow.roundTrip()
      return pageOf(
        slow.ownedBy(owner, collections).filter((one) => index.get(owner)?.has(keyOf(one))),
        page,
      )
    },
  }
}

function clearingOwners(slow: SlowDocuments): Partial<DocumentStore> {
  const index = indexOf(slow)
  return {
    async insert(document) {
      addTo(index, document)
      return slow.store.insert(document)
    },
    async listByOwner(owner, { collections, ...page } = {}) {
      await slow.roundTrip()
      return pageOf(
        slow.ownedBy(owner, collections).filter((one) => index.get(owner)?.has(keyOf(one))),
        page,
      )
    },
    async removeByOwner(owner, options) {
      const removed = await slow.store.removeByOwner(owner, options)
      await slow.roundTrip()
      if (!options?.collections) index.delete(owner)
      return removed
    },
  }
}
