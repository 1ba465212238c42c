import { randomToken } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/core/internal'
import { checkDocuments } from '../check-stores.ts'
import type { DocumentStore, StoredDocument } from '../document-store.ts'
import { StoreError } from '../errors.ts'
import type { Page } from '../record-store.ts'
import { isInvalidData, type Stored, type StoredShape } from '../values/stored-shape.ts'
import { overtaken, untilFirst } from './until-first.ts'

/** A document with its parsed value, as it was read or written. */
export interface CollectionItem<Value extends object> {
  readonly id: string
  readonly owner: string | null
  readonly version: string
  readonly value: Stored<Value>
}

export interface CollectionOptions<Value extends object> {
  readonly documents: DocumentStore
  /** The collection of the documents: `oauth-client`. */
  readonly name: string
  readonly shape: StoredShape<Value>
  /** The version of stored values to write. */
  readonly storedVersion: () => number
}

/** The documents of one collection, by their parsed values: the only writer of documents. It draws every version. */
export interface Collection<Value extends object> {
  /**
   * Returns the document, or `null`.
   *
   * @param read reads it in place of the store: from documents that were listed before.
   */
  get(id: string, read?: DocumentStore['get']): Promise<CollectionItem<Value> | null>
  /** Returns the owner of a document, even of one whose value cannot be read; `undefined` if it is absent. */
  ownerOf(id: string): Promise<string | null | undefined>
  /** Returns the stored document; `null` if the id exists. */
  insert(id: string, owner: string | null, value: Value): Promise<CollectionItem<Value> | null>
  /** Compare and swap on the version: returns the stored document to exactly one caller, and `null` to the others. */
  replace(current: CollectionItem<Value>, value: Stored<Value>): Promise<CollectionItem<Value> | null>
  /**
   * Swaps until no other caller was faster, and returns the stored document; `null` without a change if the document is
   * absent or `change` returned `null`.
   *
   * @throws StoreError `STORE_UNAVAILABLE` if others keep changing the document.
   */
  update(
    id: string,
    change: (current: CollectionItem<Value>) => Stored<Value> | null | Promise<Stored<Value> | null>,
  ): Promise<CollectionItem<Value> | null>
  /** As `update`, but inserts an absent document: `change` gets `null`. */
  put(
    id: string,
    owner: string | null,
    change: (current: CollectionItem<Value> | null) => Stored<Value> | null | Promise<Stored<Value> | null>,
  ): Promise<CollectionItem<Value> | null>
  /** True for exactly one caller. */
  remove(id: string): Promise<boolean>
  /** Removes the document if it still has this version: true for exactly one caller. */
  removeVersion(current: Pick<CollectionItem<Value>, 'id' | 'version'>): Promise<boolean>
  /** Returns a page of the collection in a stable order. */
  list(page?: Page): Promise<{ readonly items: readonly CollectionItem<Value>[]; readonly cursor?: string }>
  /** Returns all documents of the collection. */
  listAll(): Promise<readonly CollectionItem<Value>[]>
  /** Returns all documents that the owner has in the collection. */
  listByOwner(owner: string): Promise<readonly CollectionItem<Value>[]>
  /** Returns the documents whose value is valid. Rejects if a newer release has written one of them. */
  listReadable(owner: string): Promise<readonly CollectionItem<Value>[]>
  /** Removes all documents that the owner has in the collection, and returns how many this call removed. */
  removeByOwner(owner: string): Promise<number>
}

/** Creates the access to one collection. */
export function createCollection<Value extends object>(options: CollectionOptions<Value>): Collection<Value> {
  const { documents, name, shape, storedVersion } = checkOptionNames('createCollection', options, {
    documents: true,
    name: true,
    shape: true,
    storedVersion: true,
  })
  checkDocuments(documents)
  const read = ({ id, owner, version, value }: StoredDocument): CollectionItem<Value> => ({
    id,
    owner,
    version,
    value: shape.parse(value),
  })
  function readIfValid(document: StoredDocument): CollectionItem<Value>[] {
    try {
      return [read(document)]
    } catch (error) {
      if (isInvalidData(error)) return []
      throw error
    }
  }
  const find = (id: string): Promise<StoredDocument | null> => documents.get(name, id)
  const write = (value: Stored<Value>) => ({ version: randomToken(16), value: shape.format(value, storedVersion()) })

  async function get(id: string, readDocument?: DocumentStore['get']): Promise<CollectionItem<Value> | null> {
    const found = await (readDocument ? readDocument(name, id) : find(id))
    return found && read(found)
  }
  async function insert(id: string, owner: string | null, value: Stored<Value>) {
    const next = write(value)
    const isStored = await documents.insert({ collection: name, id, owner, ...next })
    return isStored ? { id, owner, version: next.version, value } : null
  }
  async function replace(current: CollectionItem<Value>, value: Stored<Value>) {
    const { id, owner, version } = current
    const next = write(value)
    const isStored = await documents.replace({ collection: name, id, version }, next)
    return isStored ? { id, owner, version: next.version, value } : null
  }
  const removeVersion = ({ id, version }: Pick<StoredDocument, 'id' | 'version'>): Promise<boolean> =>
    documents.remove({ collection: name, id, version })

  return {
    get,
    ownerOf: async (id) => (await find(id))?.owner,
    insert,
    replace,
    update: (id, change) =>
      untilFirst(async () => {
        const current = await get(id)
        const value = current && (await change(current))
        return current && value ? ((await replace(current, value)) ?? overtaken) : null
      }),
    put: (id, owner, change) =>
      untilFirst(async () => {
        const current = await get(id)
        const value = await change(current)
        if (!value) return null
        return (await (current ? replace(current, value) : insert(id, owner, value))) ?? overtaken
      }),
    remove: (id) => documents.remove({ collection: name, id }),
    removeVersion,
    async list(page) {
      const { items, ...rest } = await documents.list(name, page)
      return { items: items.map(read), ...rest }
    },
    listAll: async () => (await listPages((page) => documents.list(name, page))).map(read),
    listByOwner: async (owner) => (await listOwned(documents, name, owner)).map(read),
    listReadable: async (owner) => (await listOwned(documents, name, owner)).flatMap(readIfValid),
    removeByOwner: (owner) => documents.removeByOwner(owner, { collections: [name] }),
  }
}

function listOwned(documents: DocumentStore, name: string, owner: string): Promise<readonly StoredDocument[]> {
  return listPages((page) => documents.listByOwner(owner, { ...page, collections: [name] }))
}

/** More pages than this are no list of one person or service. */
const mostPages = 1000

/** Returns the items of all pages. */
export async function listPages<Item>(
  list: (page: Page) => Promise<{ readonly items: readonly Item[]; readonly cursor?: string }>,
): Promise<readonly Item[]> {
  const all: Item[] = []
  let page: Page = {}
  for (let read = 0; read < mostPages; read++) {
    const { items, cursor } = await list(page)
    all.push(...items)
    if (cursor === undefined) return all
    page = { cursor }
  }
  throw new StoreError('STORE_UNAVAILABLE', 'a list has no end: the store returns a cursor each time')
}
