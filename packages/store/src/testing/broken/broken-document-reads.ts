import type { StoredDocument } from '../../document-store.ts'
import { type BrokenDocumentStore, brokenDocument } from './broken-document.ts'
import { keyOf } from './slow-document-store.ts'

const title = 'reads beside changes of one document fit one order'

/** Stores whose answers are wrong only while calls overlap, and only if they are compared with each other. */
export const brokenDocumentReads: readonly BrokenDocumentStore[] = [
  brokenDocument('get joins a read that began before a change', title, ({ store, roundTrip }) => {
    const reads = new Map<string, Promise<StoredDocument | null>>()
    return {
      get(collection, id) {
        const key = keyOf({ collection, id })
        const joined = reads.get(key)
        if (joined) return joined.then((document) => document && { ...document })
        const read = store.get(collection, id).then(async (document) => {
          for (let trip = 0; trip < 3; trip++) await roundTrip()
          return document
        })
        const settled = read.finally(() => reads.delete(key))
        reads.set(key, settled)
        return settled
      },
    }
  }),

  brokenDocument('replace is false while another replace is in flight', title, ({ store }) => {
    const replacing = new Set<string>()
    return {
      async replace(current, next) {
        const key = keyOf(current)
        if (replacing.has(key)) return false
        replacing.add(key)
        return store.replace(current, next).finally(() => replacing.delete(key))
      },
    }
  }),

  brokenDocument('get shows a replace before it is decided', title, ({ store }) => {
    const undecided = new Map<string, Pick<StoredDocument, 'version' | 'value'>>()
    return {
      async replace(current, next) {
        const key = keyOf(current)
        undecided.set(key, next)
        const read = () => store.get(current.collection, current.id)
        const decided = read()
          .then(read)
          .then(() => store.replace(current, next))
        return decided.finally(() => undecided.delete(key))
      },
      async get(collection, id) {
        const document = await store.get(collection, id)
        return document && { ...document, ...undecided.get(keyOf(document)) }
      },
    }
  }),
]
