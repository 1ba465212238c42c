import { guardCall } from './backend-gate.ts'
import { type BrokenDocumentStore, brokenDocument } from './broken-document.ts'
import { keyOf } from './slow-document-store.ts'

/** Document stores that return wrong results during an outage of their backend. */
export const brokenDocumentOutages: readonly BrokenDocumentStore[] = [
  brokenDocument(
    'get answers null when the backend fails',
    'an unreachable backend is an outage to every method, never an answer',
    ({ store }) => ({ get: (collection, id) => store.get(collection, id).catch(() => null) }),
  ),

  brokenDocument(
    'a list is empty when the backend fails',
    'an unreachable backend is an outage to every method, never an answer',
    ({ store }) => ({ list: (collection, page) => store.list(collection, page).catch(() => ({ items: [] })) }),
  ),

  brokenDocument(
    'the error of the driver is passed on',
    'an outage is a StoreError, not the error of the driver',
    ({ unguarded }) => ({ removeByOwner: unguarded.removeByOwner }),
  ),

  brokenDocument(
    'a connection is tried again and again',
    'an unreachable backend is given up at the deadline',
    ({ store, gate }) => ({
      listByOwner: (owner, options) => (gate.isOpen() ? store.listByOwner(owner, options) : new Promise(() => {})),
    }),
  ),

  brokenDocument('a call has no deadline', 'a frozen backend is given up at the deadline', ({ unguarded }) => ({
    insert: unguarded.insert,
  })),

  brokenDocument(
    'a removal that has failed is executed later',
    'what was reported as failed is not executed when a frozen backend goes on',
    ({ documents, gate, find }) => ({
      remove: (document) =>
        guardCall(async () => {
          await gate.passLate()
          const old = find(document.collection, document.id)
          return old !== undefined && (document.version ?? old.version) === old.version && documents.delete(keyOf(old))
        }, gate),
    }),
  ),
]
