import { createLazySweep } from './lazy-sweep.ts'
import type { RecordStore, StoredRecord } from './record-store.ts'

interface Entry {
  record: StoredRecord
  /** Counts up over all inserts: a page goes on after the last one it gave. */
  readonly sequence: number
}

/** How many entries an insert looks at for expired ones: more than it adds, so that they cannot pile up. */
const sweptPerInsert = 4

/**
 * Gives a record store in this process's memory, for tests, for development and for a single process that may forget
 * everything when it ends. Expired records go in small steps while others are inserted: no timer keeps the process
 * alive. What it returns is frozen.
 *
 * @param options `now`: the clock, epoch milliseconds; `Date.now` unless told.
 *
 * @example
 * import { createMemoryRecordStore } from '@latchkey/store'
 * const records = createMemoryRecordStore()
 * await records.insert({ key: 'se_1', owner: 'acc_1', expiresAt: Date.now() + 60_000, value: '{}' }) // true
 */
export function createMemoryRecordStore({ now = Date.now }: { readonly now?: () => number } = {}): RecordStore {
  const entries = new Map<string, Entry>()
  const owners = new Map<string, Map<string, Entry>>()
  let inserted = 0
  const sweepStep = createLazySweep(entries, ({ record }: Entry, time) => record.expiresAt <= time && drop(record))

  function find(key: string): Entry | null {
    const entry = entries.get(key)
    return entry && entry.record.expiresAt > now() ? entry : null
  }
  function put(record: StoredRecord): void {
    const entry = { record, sequence: ++inserted }
    entries.set(record.key, entry)
    if (record.owner === null) return
    const owned = owners.get(record.owner) ?? new Map<string, Entry>()
    owners.set(record.owner, owned.set(record.key, entry))
  }
  function drop({ key, owner }: StoredRecord): boolean {
    const owned = owner === null ? undefined : owners.get(owner)
    owned?.delete(key)
    if (owner !== null && owned?.size === 0) owners.delete(owner)
    return entries.delete(key)
  }
  function ownedBy(owner: string): Entry[] {
    const time = now()
    return [...(owners.get(owner)?.values() ?? [])].filter(({ record }) => record.expiresAt > time)
  }

  return {
    capabilities: { consistency: 'strong', nativeExpiry: false, expiryGranularityMs: 1 },
    async insert({ key, owner, expiresAt, value }) {
      sweepStep(now(), sweptPerInsert)
      if (find(key)) return false
      const expired = entries.get(key)
      if (expired) drop(expired.record)
      put(Object.freeze({ key, owner, version: 1, expiresAt, value }))
      return true
    },
    async get(key) {
      return find(key)?.record ?? null
    },
    async replace({ key, version }, { value, expiresAt }) {
      const entry = find(key)
      if (entry?.record.version !== version) return false
      entry.record = Object.freeze({ ...entry.record, value, expiresAt, version: version + 1 })
      return true
    },
    async touch({ key }, expiresAt) {
      const entry = find(key)
      if (entry) entry.record = Object.freeze({ ...entry.record, expiresAt })
      return entry !== null
    },
    async remove(key) {
      const entry = find(key)
      return entry !== null && drop(entry.record)
    },
    async listByOwner(owner, { limit = 100, cursor = '0' } = {}) {
      if (!(limit >= 1)) throw new TypeError('"limit" must be at least 1')
      const rest = ownedBy(owner).filter(({ sequence }) => sequence > Number(cursor))
      const page = rest.slice(0, limit)
      const last = page.at(-1)
      const items = page.map(({ record }) => record)
      return last && rest.length > page.length ? { items, cursor: String(last.sequence) } : { items }
    },
    async removeByOwner(owner, { except } = {}) {
      const removed = ownedBy(owner).filter(({ record }) => record.key !== except)
      for (const { record } of removed) drop(record)
      return removed.length
    },
    async sweep(time, limit) {
      return sweepStep(time, limit)
    },
  }
}
