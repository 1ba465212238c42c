import type { DocumentStore, StoredDocument } from '../../document-store.ts'
import { type BrokenDocumentStore, brokenDocument } from './broken-document.ts'
import type { SlowDocuments } from './slow-document-store.ts'

const ids = 'ids that look alike are kept apart'
const owners = 'owners that look alike are kept apart'
const versions = 'versions are compared letter by letter'
const longest = 'an id of 512 bytes and a collection of 64 characters are stored whole'
const characters = 'every character survives insert and replace'
const tooLong = 'an id of 513 bytes is stored whole or rejected, never cut'
const nul = 'NUL is stored or rejected, never cut'

const fold = (text: string) => text.toLowerCase()
const trim = (text: string) => text.trimEnd()
const compose = (text: string) => text.normalize('NFC')
const toLatin = (text: string) => text.replace(/[^\0-\u00ff]/g, '?')
const toNarrow = (text: string) => text.replace(/[\u{10000}-\u{10ffff}]/gu, '?')
const beforeNul = (text: string) => text.split('\0', 1)[0] ?? ''

/** Stores that take one name for another, or keep another text than they were given. */
export const brokenDocumentNames: readonly BrokenDocumentStore[] = [
  brokenDocument('ids are compared without case', ids, (slow) => renaming(slow, fold)),
  brokenDocument('white space at the end of an id is dropped', ids, (slow) => renaming(slow, trim)),
  brokenDocument('accents of an id are composed', ids, (slow) => renaming(slow, compose)),
  brokenDocument('characters of an id beyond 16 bits are lost', ids, (slow) => renaming(slow, toNarrow)),
  brokenDocument('a key is collection and id in one text', 'a collection and an id are two texts', ({ store }) => ({
    insert: (document) => store.insert({ ...document, ...joined(document) }),
    async get(collection, id) {
      const key = joined({ collection, id })
      const found = await store.get(key.collection, key.id)
      return found && { ...found, collection, id }
    },
    replace: (current, next) => store.replace({ ...current, ...joined(current) }, next),
    remove: (document) => store.remove({ ...document, ...joined(document) }),
  })),

  brokenDocument('owners are compared without case', owners, (slow) => comparingOwners(slow, fold)),
  brokenDocument('owners are compared without white space at the end', owners, (slow) => comparingOwners(slow, trim)),
  brokenDocument('owners are compared without accents', owners, (slow) => comparingOwners(slow, compose)),
  brokenDocument('owners are found by their prefix', owners, ({ store, sorted, roundTrip }) => ({
    async listByOwner(owner, options) {
      await roundTrip()
      const found = sorted().find((one) => one.owner?.startsWith(owner))
      return store.listByOwner(found?.owner ?? owner, options)
    },
  })),

  brokenDocument('versions are compared without case', versions, (slow) => comparingVersions(slow, fold)),
  brokenDocument('versions are compared by their prefix', versions, (slow) =>
    comparingVersions(slow, (version) => version.slice(0, 16)),
  ),

  brokenDocument('an id is cut at 255 characters', longest, (slow) => renaming(slow, (id) => id.slice(0, 255))),
  brokenDocument('a collection is cut at 63 characters', longest, ({ store }) => ({
    insert: (document) => store.insert({ ...document, collection: document.collection.slice(0, 63) }),
    get: (collection, id) => store.get(collection.slice(0, 63), id),
  })),
  brokenDocument('an id is cut at 512 bytes', tooLong, (slow) => renaming(slow, (id) => cutBytes(id, 512))),
  brokenDocument('an owner is cut at 255 characters', 'an owner of 512 bytes is stored whole', ({ store }) => ({
    insert: (document) => store.insert({ ...document, owner: document.owner?.slice(0, 255) ?? null }),
  })),
  brokenDocument(
    'a value is cut at 65,535 characters',
    'a value of 256 kB is stored whole, by insert and by replace',
    (slow) => storing(slow, (value) => value.slice(0, 65_535)),
  ),
  brokenDocument(
    'a replaced value is cut at 65,535 characters',
    'a value of 256 kB is stored whole, by insert and by replace',
    ({ store }) => ({
      replace: (current, { version, value }) => store.replace(current, { version, value: value.slice(0, 65_535) }),
    }),
  ),
  brokenDocument('a value is cut at 256,000 bytes', 'a longer value is stored whole or rejected, never cut', (slow) =>
    storing(slow, (value) => value.slice(0, 256_000)),
  ),

  brokenDocument('a value is stored as Latin-1', characters, (slow) => storing(slow, toLatin)),
  brokenDocument('a replaced value is stored as Latin-1', characters, ({ store }) => ({
    replace: (current, { version, value }) => store.replace(current, { version, value: toLatin(value) }),
  })),
  brokenDocument('an owner is stored as Latin-1', characters, ({ store }) => ({
    insert: (document) =>
      store.insert({ ...document, owner: document.owner === null ? null : toLatin(document.owner) }),
  })),
  brokenDocument('a value loses its white space', characters, (slow) => storing(slow, (value) => value.trim())),
  brokenDocument('a value ends at NUL', nul, (slow) => storing(slow, beforeNul)),
  brokenDocument('a replaced value ends at NUL', nul, ({ store }) => ({
    replace: (current, { version, value }) => store.replace(current, { version, value: beforeNul(value) }),
  })),
  brokenDocument('an id ends at NUL', nul, (slow) => renaming(slow, beforeNul)),
  brokenDocument('an owner ends at NUL', nul, ({ store }) => ({
    insert: (document) =>
      store.insert({ ...document, owner: document.owner === null ? null : beforeNul(document.owner) }),
  })),
]

/** Each document is stored under a changed id, and returned with the id that was asked for. */
function renaming({ store }: SlowDocuments, change: (id: string) => string): Partial<DocumentStore> {
  return {
    insert: (document) => store.insert({ ...document, id: change(document.id) }),
    async get(collection, id) {
      const found = await store.get(collection, change(id))
      return found && { ...found, id }
    },
    replace: (current, next) => store.replace({ ...current, id: change(current.id) }, next),
    remove: (document) => store.remove({ ...document, id: change(document.id) }),
  }
}

function joined({ collection, id }: Pick<StoredDocument, 'collection' | 'id'>) {
  return { collection: 'all', id: `${collection}-${id}` }
}

/** Returns a store that confuses owners whose changed names are equal. */
function comparingOwners(slow: SlowDocuments, change: (owner: string) => string): Partial<DocumentStore> {
  const { store, sorted } = slow
  const stored = (owner: string) =>
    sorted().find((one) => one.owner !== null && change(one.owner) === change(owner))?.owner ?? owner
  return {
    listByOwner: (owner, options) => store.listByOwner(stored(owner), options),
    removeByOwner: (owner, options) => store.removeByOwner(stored(owner), options),
  }
}

function comparingVersions(
  { store, find }: SlowDocuments,
  change: (version: string) => string,
): Partial<DocumentStore> {
  return {
    async replace(current, next) {
      const version = find(current.collection, current.id)?.version
      const isEqual = version !== undefined && change(version) === change(current.version)
      return store.replace(isEqual ? { ...current, version } : current, next)
    },
  }
}

function storing({ store }: SlowDocuments, change: (value: string) => string): Partial<DocumentStore> {
  return {
    insert: (document) => store.insert({ ...document, value: change(document.value) }),
    replace: (current, { version, value }) => store.replace(current, { version, value: change(value) }),
  }
}

function cutBytes(text: string, bytes: number): string {
  return new TextDecoder().decode(new TextEncoder().encode(text).slice(0, bytes)).replace(/\ufffd$/, '')
}
