import type { DocumentStore } from '../../document-store.ts'
import {
  createDocumentBackend,
  createSlowDocuments,
  type DocumentBackend,
  type SlowDocuments,
} from './slow-document-store.ts'

/** A document store with a mistake that real stores have had, and the test of the kit that finds it. */
export interface BrokenDocumentStore {
  /** The mistake. */
  readonly name: string
  /** The title of the test of `describeDocumentStore` that fails. Others may fail as well. */
  readonly fails: string
  /** Creates a backend of its own. */
  readonly createBackend: () => BrokenDocumentBackend
}

/** What `describeDocumentStore` needs of a backend with a mistake. */
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
