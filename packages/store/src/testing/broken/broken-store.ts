import { wallClock } from '@latchkey/core/internal'
import type { RecordStore } from '../../record-store.ts'
import { createSlowBackend, createSlowStore, type SlowBackend, type SlowStore } from './slow-store.ts'

/** A record store with a mistake. */
export interface BrokenRecordStore {
  readonly name: string
  readonly fails: string
  readonly createStore: () => BrokenStore
}

/** A store and its backend. */
export interface BrokenStore extends RecordStore {
  at(now: () => number): RecordStore
  setVersion(key: string, version: number): Promise<void>
  unreachable(): RecordStore
  freeze(): void
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
