import type { DocumentPage, DocumentStore, StoredDocument } from '../document-store.ts'
import type { Page } from '../record-store.ts'
import { createMemoryOwnerIndex, type MemoryOwnerIndex, type Owned } from './memory-owner-index.ts'

/** Its number increases over all inserts: a page continues after the last number of the page before. */
interface Entry extends Owned {
  document: StoredDocument
}

/**
 * Creates a document store in this process's memory, for tests and for development: the documents are lost when the
 * process exits. Returned documents are frozen.
 *
 * @example
 * import { createMemoryDocumentStore } from '@latchkey/store'
 * const documents = createMemoryDocumentStore()
 * await documents.insert({ collection: 'note', id: '1', owner: 'acc_1', version: 'v1', value: '{}' }) // true
 */
export function createMemoryDocumentStore(): DocumentStore {
  const collections = new Map<string, Map<string, Entry>>()
  const byCollection = createMemoryOwnerIndex<Entry>()
  const byOwner = createMemoryOwnerIndex<Entry>()
  let inserted = 0

  const find = (collection: string, id: string): Entry | undefined => collections.get(collection)?.get(id)
  function drop(entry: Entry): void {
    const { collection, id, owner } = entry.document
    collections.get(collection)?.delete(id)
    byCollection.remove(collection, entry)
    if (owner !== null) byOwner.remove(owner, entry)
  }

  return {
    capabilities: { contract: 1, consistency: 'strong' },
    isInMemory: () => true,
    async insert({ collection, id, owner, version, value }) {
      if (find(collection, id)) return false
      const document = Object.freeze({ collection, id, owner, version, value })
      const entry: Entry = { document, sequence: ++inserted, isGone: false }
      const ids = collections.get(collection) ?? new Map<string, Entry>()
      collections.set(collection, ids.set(id, entry))
      byCollection.add(collection, entry)
      if (owner !== null) byOwner.add(owner, entry)
      return true
    },
    async get(collection, id) {
      return find(collection, id)?.document ?? null
    },
    async replace({ collection, id, version }, next) {
      const entry = find(collection, id)
      if (entry?.document.version !== version) return false
      entry.document = Object.freeze({ ...entry.document, version: next.version, value: next.value })
      return true
    },
    async remove({ collection, id, version }) {
      const entry = find(collection, id)
      if (!entry || (version !== undefined && entry.document.version !== version)) return false
      drop(entry)
      return true
    },
    async list(collection, page) {
      return readPage(byCollection, collection, page, () => true)
    },
    async listByOwner(owner, { collections: named, ...page } = {}) {
      return readPage(byOwner, owner, page, isIn(named))
    },
    async removeByOwner(owner, { collections: named } = {}) {
      const removed = [...byOwner.after(owner, 0)].filter(isIn(named))
      for (const entry of removed) drop(entry)
      return removed.length
    },
  }
}

function isIn(collections: readonly string[] | undefined): (entry: Entry) => boolean {
  return ({ document }) => collections?.includes(document.collection) ?? true
}

function readPage(
  index: MemoryOwnerIndex<Entry>,
  name: string,
  { limit = 100, cursor }: Page = {},
  isWanted: (entry: Entry) => boolean,
): DocumentPage {
  if (!(limit >= 1)) throw new TypeError('"limit" must be at least 1')
  const found: Entry[] = []
  for (const entry of index.after(name, Number(cursor ?? 0))) {
    if (isWanted(entry)) found.push(entry)
    if (found.length > limit) break
  }
  const page = found.slice(0, limit)
  const last = page.at(-1)
  const items = page.map(({ document }) => document)
  return last && found.length > page.length ? { items, cursor: String(last.sequence) } : { items }
}
