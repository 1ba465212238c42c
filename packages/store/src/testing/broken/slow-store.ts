import { pause } from '@latchkey/core/internal'
import type { RecordStore, StoredRecord } from '../../record-store.ts'
import { type BackendGate, createBackendGate, guardStore } from './backend-gate.ts'

/**
 * A correct store on a backend whose every command takes time, with its parts exposed so that one method can be broken.
 */
export interface SlowStore {
  readonly store: RecordStore
  /** The same store without a deadline, with the errors of the backend. */
  readonly unguarded: RecordStore
  readonly gate: BackendGate
  readonly records: Map<string, StoredRecord>
  /** The keys of each owner: a superset, because an entry is written before its record and removed after it. */
  readonly index: Map<string, Set<string>>
  /** Simulates a round trip to the backend. Values read before it may be stale after it. */
  roundTrip(): Promise<void>
  /** The record, unless it has expired: valid until the next round trip only. */
  find(key: string): StoredRecord | null
  indexed(owner: string): readonly string[]
}

/** The shared data of the clients of one backend. */
export type SlowBackend = Pick<SlowStore, 'records' | 'index' | 'gate'>

export function createSlowBackend(): SlowBackend {
  return { records: new Map(), index: new Map(), gate: createBackendGate() }
}

/** Creates a client of a backend that decides expiry by this clock. */
export function createSlowStore({ records, index, gate }: SlowBackend, now: () => number): SlowStore {
  const roundTrip = async () => {
    await pause(0)
    await gate.pass()
  }
  const indexed = (owner: string) => [...(index.get(owner) ?? [])].sort()
  const find = (key: string): StoredRecord | null => {
    const record = records.get(key)
    return record && record.expiresAt > now() ? record : null
  }
  const swap = (key: string, change: (old: StoredRecord) => StoredRecord | null): boolean => {
    const old = find(key)
    const next = old && change(old)
    if (next) records.set(key, next)
    return next !== null
  }

  async function removeIf(key: string, condition: (old: StoredRecord) => boolean): Promise<boolean> {
    await roundTrip()
    const old = records.get(key)
    if (!old || !condition(old)) return false
    records.delete(key)
    await roundTrip()
    if (old.owner !== null) index.get(old.owner)?.delete(key)
    return true
  }

  const unguarded: Required<Omit<RecordStore, 'close' | 'isInMemory'>> = {
    capabilities: { contract: 1, consistency: 'strong', nativeExpiry: false, expiryGranularityMs: 1 },
    now,
    async insert(record) {
      await roundTrip()
      if (record.owner !== null) index.set(record.owner, (index.get(record.owner) ?? new Set()).add(record.key))
      await roundTrip()
      if (find(record.key)) return false
      records.set(record.key, { ...record, version: 1 })
      return true
    },
    async get(key) {
      await roundTrip()
      const record = find(key)
      return record && { ...record }
    },
    async replace({ key, version }, { value, expiresAt }) {
      await roundTrip()
      return swap(key, (old) => (old.version === version ? { ...old, value, expiresAt, version: version + 1 } : null))
    },
    async touch({ key }, expiresAt) {
      await roundTrip()
      return swap(key, (old) => ({ ...old, expiresAt }))
    },
    remove: (key) => removeIf(key, () => true),
    async listByOwner(owner, { limit = 100, cursor = '' } = {}) {
      await roundTrip()
      const keys = indexed(owner).filter((key) => key > cursor)
      const page = keys.slice(0, limit)
      const found = await Promise.all(page.map((key) => unguarded.get(key)))
      const items = found.flatMap((record) => (record?.owner === owner ? [record] : []))
      return keys.length > limit ? { items, cursor: page.at(-1) ?? '' } : { items }
    },
    async removeByOwner(owner, { except } = {}) {
      await roundTrip()
      const keys = indexed(owner).filter((key) => key !== except)
      const outcomes = await Promise.all(keys.map((key) => removeIf(key, (old) => old.owner === owner)))
      return outcomes.filter(Boolean).length
    },
    async sweep(limit) {
      await roundTrip()
      const time = now()
      const expired = [...records.values()].filter(({ expiresAt }) => expiresAt <= time).slice(0, limit)
      for (const { key } of expired) records.delete(key)
      return expired.length
    },
  }
  return { store: guardStore(unguarded, gate), unguarded, gate, records, index, roundTrip, find, indexed }
}
