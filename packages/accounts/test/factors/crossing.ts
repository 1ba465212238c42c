import type { DocumentStore } from '@latchkey/store'
import { type DocumentMethod, wrapDocumentStore } from '../stores/test-stores.ts'
import { createFactorsBench, type FactorsBenchOptions } from './factors-bench.ts'

export type Meeting = (method: DocumentMethod, given: readonly unknown[]) => Promise<void> | undefined

/** A bench where something else happens before a call of the store of factors, or after it. */
export function createCrossing(options: FactorsBenchOptions = {}) {
  const meetings: { before: Meeting; after: Meeting } = { before: () => undefined, after: () => undefined }
  const aroundDocuments = (store: DocumentStore): DocumentStore =>
    wrapDocumentStore(store, async (method, run, given) => {
      await meetings.before(method, given)
      const result = await run()
      await meetings.after(method, given)
      return result
    })
  const bench = createFactorsBench({ ...options, aroundDocuments })
  return { bench, meetings }
}
