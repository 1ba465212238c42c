import type { DocumentStore } from '../../document-store.ts'
import { brokenDocument } from './broken-document.ts'
import { brokenDocumentLists } from './broken-document-lists.ts'
import { brokenDocumentNames } from './broken-document-names.ts'
import { brokenDocumentOutages } from './broken-document-outages.ts'
import { brokenDocumentReads } from './broken-document-reads.ts'
import { keyOf } from './slow-document-store.ts'

const insertOnce = 'insert never overwrites, and one id may be in two collections'
const swap = 'replace swaps the current version only, and never creates'
const removal = 'remove with a version removes this version only'

/**
 * Document stores with one mistake each, which fail the named test of the kit. They test the kit itself, and show an author
 * what each test is for. All of them wait for their backend between reading and writing.
 *
 * @example
 * import { brokenDocumentStores } from '@latchkey/store/testing'
 * for (const { name, fails } of brokenDocumentStores) process.stdout.write(`${name}: ${fails}\n`)
 */
export const brokenDocumentStores: readonly {
  /** The mistake. */
  readonly name: string
  /** The title of the test of `describeDocumentStore` that fails. Others may fail as well. */
  readonly fails: string
  /** Creates a separate backend, with the functions that the kit needs. */
  readonly createBackend: () => {
    readonly createStore: () => DocumentStore
    readonly unreachable: () => DocumentStore
    readonly freeze: () => void
    readonly thaw: () => void
    readonly deadlineMs: number
  }
}[] = [
  brokenDocument('insert checks first and then writes', 'of parallel inserts of one id exactly one wins', (slow) => ({
    async insert(document) {
      if (await slow.store.get(document.collection, document.id)) return false
      await slow.roundTrip()
      slow.documents.set(keyOf(document), { ...document })
      return true
    },
  })),

  brokenDocument('insert overwrites', insertOnce, (slow) => ({
    async insert(document) {
      await slow.roundTrip()
      const isNew = !slow.documents.has(keyOf(document))
      slow.documents.set(keyOf(document), { ...document })
      return isNew
    },
  })),

  brokenDocument('insert of an existing id is true', insertOnce, (slow) => ({
    insert: async (document) => (await slow.store.insert(document)) || true,
  })),

  brokenDocument('an id is unique over all collections', insertOnce, (slow) => ({
    insert: async (document) => !slow.sorted().some(({ id }) => id === document.id) && slow.store.insert(document),
  })),

  brokenDocument('get ignores the collection', 'an inserted document is read by its collection and id', (slow) => ({
    async get(_collection, id) {
      await slow.roundTrip()
      const found = slow.sorted().find((one) => one.id === id)
      return found ? { ...found } : null
    },
  })),

  brokenDocument(
    'an absent owner is stored as text',
    'an inserted document is read by its collection and id',
    (slow) => ({
      insert: (document) => slow.store.insert({ ...document, owner: `${document.owner}` }),
    }),
  ),

  brokenDocument(
    'replace reads, compares and then writes',
    'of parallel replaces of one version exactly one wins',
    (slow) => ({
      async replace({ collection, id, version }, next) {
        const old = await slow.store.get(collection, id)
        if (old?.version !== version) return false
        await slow.roundTrip()
        slow.documents.set(keyOf(old), { ...old, ...next })
        return true
      },
    }),
  ),

  brokenDocument('replace creates what is absent', swap, (slow) => ({
    async replace(current, next) {
      await slow.roundTrip()
      if (slow.find(current.collection, current.id)) return slow.store.replace(current, next)
      slow.documents.set(keyOf(current), { collection: current.collection, id: current.id, owner: null, ...next })
      return true
    },
  })),

  brokenDocument('replace ignores the version', swap, (slow) => ({
    async replace(current, next) {
      const version = slow.find(current.collection, current.id)?.version
      return version !== undefined && slow.store.replace({ ...current, version }, next)
    },
  })),

  brokenDocument('replace keeps the old version', swap, (slow) => ({
    replace: (current, next) => slow.store.replace(current, { ...next, version: current.version }),
  })),

  brokenDocument('replace takes the owner away', swap, (slow) => ({
    async replace(current, next) {
      const isDone = await slow.store.replace(current, next)
      const stored = slow.find(current.collection, current.id)
      if (isDone && stored) slow.documents.set(keyOf(stored), { ...stored, owner: null })
      return isDone
    },
  })),

  brokenDocument('replace by the same value counts no row', swap, (slow) => ({
    async replace(current, next) {
      const old = slow.find(current.collection, current.id)
      return (await slow.store.replace(current, next)) && old?.value !== next.value
    },
  })),

  brokenDocument(
    'replace changes every document of the version',
    'what is done to one document is done to no other',
    (slow) => ({
      async replace(current, next) {
        await slow.roundTrip()
        const changed = slow.sorted().filter(({ version }) => version === current.version)
        for (const one of changed) slow.documents.set(keyOf(one), { ...one, ...next })
        return changed.length > 0
      },
    }),
  ),

  brokenDocument(
    'remove reads, and then removes twice',
    'of parallel removes exactly one wins, with a version and without',
    (slow) => ({
      async remove(document) {
        const old = await slow.store.get(document.collection, document.id)
        if (!old || (document.version ?? old.version) !== old.version) return false
        await slow.store.remove({ collection: old.collection, id: old.id })
        return true
      },
    }),
  ),

  brokenDocument(
    'remove compares the version and then removes any',
    'of a replace and a remove of one version at once exactly one wins',
    (slow) => ({
      async remove({ version, ...document }) {
        const old = await slow.store.get(document.collection, document.id)
        return old !== null && (version ?? old.version) === old.version && slow.store.remove(document)
      },
    }),
  ),

  brokenDocument('remove ignores the version', removal, (slow) => ({
    remove: ({ collection, id }) => slow.store.remove({ collection, id }),
  })),

  brokenDocument('remove without a version removes nothing', removal, (slow) => ({
    remove: async (document) => document.version !== undefined && slow.store.remove(document),
  })),

  brokenDocument('an id that was removed is never free again', removal, (slow) => {
    const removed = new Set<string>()
    return {
      insert: async (document) => !removed.has(keyOf(document)) && slow.store.insert(document),
      async remove(document) {
        const isDone = await slow.store.remove(document)
        if (isDone) removed.add(keyOf(document))
        return isDone
      },
    }
  }),

  brokenDocument('get answers from a cache of its client', swap, (slow) => {
    const cached = new Map<string, Awaited<ReturnType<typeof slow.store.get>>>()
    return {
      async get(collection, id) {
        const key = keyOf({ collection, id })
        const found = cached.get(key) ?? (await slow.store.get(collection, id))
        cached.set(key, found)
        return found && { ...found }
      },
    }
  }),

  brokenDocument(
    'get returns the stored object itself',
    'an inserted document is read by its collection and id',
    (slow) => ({
      async get(collection, id) {
        await slow.roundTrip()
        return slow.find(collection, id) ?? null
      },
    }),
  ),

  brokenDocument(
    'insert keeps the object of its caller',
    'changing an object that was inserted changes no document',
    (slow) => ({
      async insert(document) {
        const isStored = await slow.store.insert(document)
        if (isStored) slow.documents.set(keyOf(document), document)
        return isStored
      },
    }),
  ),

  brokenDocument(
    'the contract is that of a later release',
    'the store names this version of the contract, and is strongly consistent',
    (slow) => ({
      capabilities: { ...slow.store.capabilities, contract: 99 },
    }),
  ),

  brokenDocument(
    'the store is eventual',
    'the store names this version of the contract, and is strongly consistent',
    (slow) => ({
      capabilities: { ...slow.store.capabilities, consistency: 'eventual' },
    }),
  ),
  ...brokenDocumentReads,
  ...brokenDocumentNames,
  ...brokenDocumentLists,
  ...brokenDocumentOutages,
]
