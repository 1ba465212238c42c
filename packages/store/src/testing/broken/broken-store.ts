import { wallClock } from '@latchkey/core/internal'
import type { RecordStore } from '../../record-store.ts'
import { createSlowBackend, createSlowStore, type SlowBackend, type SlowStore } from './slow-store.ts'

/** A store with a mistake that real stores have had, and the test of the kit that finds it. */
export interface BrokenRecordStore {
  /** The mistake. */
  readonly name: string
  /** The title of the test of `describeRecordStore` that fails. Others may fail as well. */
  readonly fails: string
  /** Creates the store on a backend of its own. Use this one store for both clients. */
  readonly createStore: () => BrokenStore
}

/** A store with a mistake. */
export interface BrokenStore extends RecordStore {
  /** Returns a client of the same backend on another clock, for `createStoreAt` of the kit. */
  at(now: () => number): RecordStore
  /** Sets the version of a record, for `setVersion` of the kit. */
  setVersion(key: string, version: number): Promise<void>
  /** Returns a client of a backend that cannot be reached, for `unreachable` of the kit. */
  unreachable(): RecordStore
  /** Stops the backend, for `freeze` of the kit. */
  freeze(): void
  /** Lets it go on, for `thaw` of the kit. */
  thaw(): void
}

/** Returns the methods of a sound store that the mistake replaces. */
export type Mistake = (slow: SlowStore) => Partial<RecordStore>

export function broken(name: string, fails: string, mistake: Mistake): BrokenRecordStore {
  const createClient = (backend: SlowBackend, now: () => number): RecordStore => {
    const slow = createSlowStore(backend, now)
    return { ...slow.store, ...mistake(slow) }
  }
  const createStore = (): BrokenStore => {
    const backend = createSlowBackend()
    return {
      ...createClient(backend, wallClock),
      at: (now) => createClient(backend, now),
      async setVersion(key, version) {
        const record = backend.records.get(key)
        if (record) backend.records.set(key, { ...record, version })
      },
      unreachable: () => {
        const cut = createSlowBackend()
        cut.gate.cut()
        return createClient(cut, wallClock)
      },
      freeze: backend.gate.freeze,
      thaw: backend.gate.thaw,
    }
  }
  return { name, fails, createStore }
}
