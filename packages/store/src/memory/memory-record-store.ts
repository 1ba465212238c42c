import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { RecordStore, StoredRecord } from '../record-store.ts'
import { createLazySweep } from './lazy-sweep.ts'
import { createMemoryOwnerIndex, type Owned } from './memory-owner-index.ts'

/** Its number increases over all inserts: a page continues after the last number of the page before. */
interface Entry extends Owned {
  record: StoredRecord
}

/** How many entries an insert checks for expiry: more than it adds, so that expired ones do not accumulate. */
const sweptPerInsert = 4

/**
 * Creates a record store in this process's memory, for tests, for development and for a single process that may lose
 * its records when it exits. Expired records are removed in small steps while others are inserted; no timer keeps the
 * process alive. Returned records are frozen.
 *
 * @param options `now`: the clock, in epoch milliseconds. Default: `Date.now`.
 * @example
 * import { createMemoryRecordStore } from '@latchkey/store'
 * const records = createMemoryRecordStore()
 * await records.insert({ key: 'se_1', owner: 'acc_1', expiresAt: Date.now() + 60_000, value: '{}' }) // true
 */
export function createMemoryRecordStore(options: { readonly now?: () => number } = {}): RecordStore {
  const { now = wallClock } = checkOptionNames('createMemoryRecordStore', options, { now: true })
  const entries = new Map<string, Entry>()
  const owners = createMemoryOwnerIndex<Entry>()
  let inserted = 0
  const sweepStep = createLazySweep(entries, (entry: Entry, time) => entry.record.expiresAt <= time && drop(entry))

  function find(key: string): Entry | null {
    const entry = entries.get(key)
    return entry && entry.record.expiresAt > now() ? entry : null
  }
  function put(record: StoredRecord): void {
    const entry = { record, sequence: ++inserted, isGone: false }
    entries.set(record.key, entry)
    if (record.owner !== null) owners.add(record.owner, entry)
  }
  function drop(entry: Entry): boolean {
    const { key, owner } = entry.record
    if (owner !== null) owners.remove(owner, entry)
    return entries.delete(key)
  }
  /** Returns the owner's records after that number that have not expired, at most one more than the limit. */
  function livingOf(owner: string, after: number, limit: number): Entry[] {
    const time = now()
    const found: Entry[] = []
    for (const entry of owners.after(owner, after)) {
      if (entry.record.expiresAt > time) found.push(entry)
      if (found.length > limit) break
    }
    return found
  }

  return {
    capabilities: {
      contract: 1,
      consistency: 'strong',
      nativeExpiry: false,
      expiryGranularityMs: 1,
      ...(options.now && { clock: 'given' }),
    },
    now: () => Math.trunc(now()),
    isInMemory: () => true,
    async insert({ key, owner, expiresAt, value }) {
      sweepStep(now(), sweptPerInsert)
      if (find(key)) return false
      const expired = entries.get(key)
      if (expired) drop(expired)
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
      const entry = entries.get(key)
      return entry !== undefined && drop(entry)
    },
    async listByOwner(owner, { limit = 100, cursor } = {}) {
      if (!(limit >= 1)) throw new TypeError('"limit" must be at least 1')
      const found = livingOf(owner, Number(cursor ?? 0), limit)
      const page = found.slice(0, limit)
      const last = page.at(-1)
      const items = page.map(({ record }) => record)
      return last && found.length > page.length ? { items, cursor: String(last.sequence) } : { items }
    },
    async removeByOwner(owner, { except } = {}) {
      const removed = [...owners.after(owner, 0)].filter(({ record }) => record.key !== except)
      for (const entry of removed) drop(entry)
      return removed.length
    },
    async sweep(limit) {
      return sweepStep(now(), limit, entries.size)
    },
  }
}
