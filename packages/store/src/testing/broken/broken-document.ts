import type { DocumentStore } from '../../document-store.ts'
import {
  createDocumentBackend,
  createSlowDocuments,
  type DocumentBackend,
  type SlowDocuments,
} from './slow-document-store.ts'

/** A document store with a mistake. */
export interface BrokenDocumentStore {
  readonly name: string
  readonly fails: string
  readonly createBackend: () => BrokenDocumentBackend
}

/** The functions that `describeDocumentStore` needs, for a backend with a mistake. */
export interface BrokenDocumentBackend {
  readonly createStore: () => DocumentStore
  readonly unreachable: () => DocumentStore
  readonly freeze: () => void
  readonly thaw: () => void
  readonly deadlineMs: number
}

/** Returns the methods of a correct store that the mistake replaces. */
export type DocumentMistake = (slow: SlowDocuments) => Partial<DocumentStore>

export function brokenDocument(name: string, fails: string, mistake: DocumentMistake): BrokenDocumentStore {
  const createClient = (backend: DocumentBackend): DocumentStore => {
    const slow = createSlowDocuments(backend)
    return { ...slow.store, ...mistake(slow) }
  }
  const createBackend = (): BrokenDocumentBackend => {
    const backend = createDocumentBackend()
    return {
      createStore: () => createClient(backend),
      unreachable: () => {
        const cut = createDocumentBackend()
        cut.gate.cut()
        return createClient(cut)
      },
      freeze: backend.gate.freeze,
      thaw: backend.gate.thaw,
      deadlineMs: 50,
    }
  }
  return { name, fails, createBackend }
}
