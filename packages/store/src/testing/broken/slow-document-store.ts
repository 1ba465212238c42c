import { pause } from '@latchkey/core/internal'
import type { DocumentPage, DocumentStore, StoredDocument } from '../../document-store.ts'
import type { Page } from '../../record-store.ts'
import { type BackendGate, createBackendGate, guardCall } from './backend-gate.ts'

/** The shared data of the clients of one backend. */
export interface DocumentBackend {
  /** By collection and id, which `keyOf` joins. */
  readonly documents: Map<string, StoredDocument>
  readonly gate: BackendGate
}

/** A correct document store on a backend whose every command takes time, with its parts exposed so that one can be broken. */
export interface SlowDocuments extends DocumentBackend {
  readonly store: DocumentStore
  /** The same store without a deadline, with the errors of the backend. */
  readonly unguarded: DocumentStore
  /** Simulates a round trip to the backend. Values read before it may be stale after it. */
  roundTrip(): Promise<void>
  find(collection: string, id: string): StoredDocument | undefined
  /** All documents, in the order of their keys. */
  sorted(): readonly StoredDocument[]
  /** The owner's documents, of all collections unless some are named. */
  ownedBy(owner: string, collections?: readonly string[]): readonly StoredDocument[]
}

export function createDocumentBackend(): DocumentBackend {
  return { documents: new Map(), gate: createBackendGate() }
}

/** No collection has a space. */
export function keyOf({ collection, id }: Pick<StoredDocument, 'collection' | 'id'>): string {
  return `${collection} ${id}`
}

/** Returns a page of sorted documents. */
export function pageOf(sorted: readonly StoredDocument[], { limit = 100, cursor = '' }: Page = {}): DocumentPage {
  const rest = sorted.filter((document) => keyOf(document) > cursor)
  const items = rest.slice(0, limit).map((document) => ({ ...document }))
  const last = items.at(-1)
  return last && rest.length > limit ? { items, cursor: keyOf(last) } : { items }
}

/** Creates a client of a backend. */
export function createSlowDocuments({ documents, gate }: DocumentBackend): SlowDocuments {
  const roundTrip = async () => {
    await pause(0)
    await gate.pass()
  }
  const find = (collection: string, id: string) => documents.get(keyOf({ collection, id }))
  const sorted = () => [...documents.values()].sort((one, other) => (keyOf(one) < keyOf(other) ? -1 : 1))
  const ownedBy = (owner: string, collections?: readonly string[]) =>
    sorted().filter((one) => one.owner === owner && (collections?.includes(one.collection) ?? true))

  const unguarded: DocumentStore = {
    capabilities: { contract: 1, consistency: 'strong' },
    async insert(document) {
      await roundTrip()
      if (documents.has(keyOf(document))) return false
      documents.set(keyOf(document), { ...document })
      return true
    },
    async get(collection, id) {
      await roundTrip()
      const found = find(collection, id)
      return found ? { ...found } : null
    },
    async replace({ collection, id, version }, next) {
      await roundTrip()
      const old = find(collection, id)
      if (old?.version !== version) return false
      documents.set(keyOf(old), { ...old, version: next.version, value: next.value })
      return true
    },
    async remove({ collection, id, version }) {
      await roundTrip()
      const old = find(collection, id)
      return old !== undefined && (version ?? old.version) === old.version && documents.delete(keyOf(old))
    },
    async list(collection, page) {
      await roundTrip()
      return pageOf(
        sorted().filter((one) => one.collection === collection),
        page,
      )
    },
    async listByOwner(owner, { collections, ...page } = {}) {
      await roundTrip()
      return pageOf(ownedBy(owner, collections), page)
    },
    async removeByOwner(owner, { collections } = {}) {
      await roundTrip()
      return ownedBy(owner, collections).filter((one) => documents.delete(keyOf(one))).length
    },
  }
  return { documents, gate, store: guard(unguarded, gate), unguarded, roundTrip, find, sorted, ownedBy }
}

/** Sets a deadline for every method and turns the errors of the backend into a `StoreError`. */
function guard(store: DocumentStore, gate: BackendGate): DocumentStore {
  const guarded =
    <Given extends unknown[], Answer>(method: (...given: Given) => Promise<Answer>) =>
    (...given: Given): Promise<Answer> =>
      guardCall(() => method(...given), gate)
  return {
    capabilities: store.capabilities,
    insert: guarded(store.insert),
    get: guarded(store.get),
    replace: guarded(store.replace),
    remove: guarded(store.remove),
    list: guarded(store.list),
    listByOwner: guarded(store.listByOwner),
    removeByOwner: guarded(store.removeByOwner),
  }
}
