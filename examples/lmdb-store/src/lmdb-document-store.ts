// Durable documents on LMDB: each change is one transaction, and each list reads one snapshot.
import type { DocumentStore, Page, StoredDocument } from '@latchkey/store'
import { hash, type LmdbDatabase, type LmdbTables, last } from './lmdb-database.ts'

/** Creates a document store on a database. */
export function createLmdbDocumentStore({ read, change }: LmdbDatabase): DocumentStore {
  return {
    capabilities: { contract: 1, consistency: 'strong' },
    insert: ({ collection, id, owner, version, value }) =>
      change(({ documents, documentOwners }) => {
        const key = hash(id)
        if (documents.doesExist([collection, key])) return false
        documents.put([collection, key], { collection, id, owner, version, value })
        if (owner !== null) documentOwners.put([hash(owner), collection, key], true)
        return true
      }),
    get: (collection, id) => read(({ documents }) => documents.get([collection, hash(id)]) ?? null),
    replace: ({ collection, id, version }, next) =>
      change(({ documents }) => {
        const present = documents.get([collection, hash(id)])
        if (present?.version !== version) return false
        documents.put([collection, hash(id)], { ...present, version: next.version, value: next.value })
        return true
      }),
    remove: ({ collection, id, version }) =>
      change((tables) => {
        const present = tables.documents.get([collection, hash(id)])
        if (!present || (version !== undefined && present.version !== version)) return false
        drop(tables, present)
        return true
      }),
    list: (collection, page) =>
      read(({ documents }) =>
        toPage(page, ([, id]) => {
          const range = { start: [collection, id], exclusiveStart: true, end: [collection, last] }
          return documents.getRange(range).map(({ value }) => value)
        }),
      ),
    listByOwner: (owner, { collections, ...page } = {}) =>
      read((tables) => toPage(page, (after) => owned(tables, owner, { collections, after }))),
    removeByOwner: (owner, { collections } = {}) =>
      change((tables) => {
        const removed = [...owned(tables, owner, { collections })]
        for (const document of removed) drop(tables, document)
        return removed.length
      }),
  }
}

type Place = readonly [collection: string, id: string]

function* owned(
  { documents, documentOwners }: LmdbTables,
  owner: string,
  { collections, after = ['', ''] }: { readonly collections: readonly string[] | undefined; readonly after?: Place },
): Iterable<StoredDocument> {
  const range = { start: [hash(owner), ...after], exclusiveStart: true, end: [hash(owner), last] }
  for (const [, collection, id] of documentOwners.getKeys(range)) {
    const document = (collections?.includes(collection) ?? true) ? documents.get([collection, id]) : undefined
    if (document) yield document
  }
}

function drop({ documents, documentOwners }: LmdbTables, { collection, id, owner }: StoredDocument): void {
  documents.remove([collection, hash(id)])
  if (owner !== null) documentOwners.remove([hash(owner), collection, hash(id)])
}

/** Reads one document more than the page has, to know whether there are more. No collection has a space. */
function toPage(
  { limit = 100, cursor = ' ' }: Page = {},
  readAfter: (place: Place) => Iterable<StoredDocument>,
): Awaited<ReturnType<DocumentStore['list']>> {
  const [collection = '', key = ''] = cursor.split(' ')
  const items: StoredDocument[] = []
  for (const document of readAfter([collection, key])) {
    const before = items.at(-1)
    if (before && items.length === limit) return { items, cursor: `${before.collection} ${hash(before.id)}` }
    items.push(document)
  }
  return { items }
}
