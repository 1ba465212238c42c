import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'

/** What a document store holds of roles; `null`: nothing. */
export async function readRoles(documents: DocumentStore): Promise<{ revision: number; roles: object } | null> {
  const document = await documents.get('roles', 'current')
  if (!document) return null
  const { revision, roles } = JSON.parse(document.value)
  return { revision, roles }
}

let written = 0

/** Stores roles as another program would, whatever they are. */
export async function writeRoles(documents: DocumentStore, revision: number, roles: unknown): Promise<void> {
  const id = { collection: 'roles', id: 'current' }
  await documents.remove(id)
  const value = JSON.stringify({ v: 1, revision, roles })
  await documents.insert({ ...id, owner: null, version: `w${++written}`, value })
}

/** Counts and delays the reads of a document store, and fails them on demand. */
export function watchReads(inner: DocumentStore = createMemoryDocumentStore()) {
  const seen = { reads: 0, fail: null as Error | null, hold: null as Promise<void> | null }
  const watched: DocumentStore = {
    ...inner,
    async get(collection, id) {
      seen.reads += 1
      if (seen.fail) throw seen.fail
      const stored = await inner.get(collection, id)
      await seen.hold
      return stored
    },
  }
  return { seen, watched }
}
