import { wallClock } from '@latchkey/core/internal'
import type { RecordStore } from '../../record-store.ts'
import { brokenIndexes } from './broken-index.ts'
import { brokenInstants } from './broken-instants.ts'
import { brokenLimits } from './broken-limits.ts'
import { brokenOutages } from './broken-outages.ts'
import { brokenReads } from './broken-reads.ts'
import { broken } from './broken-store.ts'
import { brokenSweeps } from './broken-sweeps.ts'
import type { SlowStore } from './slow-store.ts'

/**
 * Record stores with one mistake each, which fail the named test of the kit. They test the kit itself, and show an
 * author what each test is for. All of them wait for their backend between reading and writing.
 *
 * @example
 * import { brokenRecordStores } from '@latchkey/store/testing'
 * for (const { name, fails } of brokenRecordStores) process.stdout.write(`${name}: ${fails}\n`)
 */
export const brokenRecordStores: readonly {
  /** The mistake. */
  readonly name: string
  /** The title of the test of `describeRecordStore` that fails. Others may fail as well. */
  readonly fails: string
  /** Creates the store on a separate backend. Use this store for both clients. */
  readonly createStore: () => RecordStore & {
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
}[] = [
  broken('insert checks first and then writes', 'of parallel inserts of one key exactly one wins', (slow) => ({
    async insert(record) {
      if (await slow.store.get(record.key)) return false
      slow.records.delete(record.key)
      return slow.store.insert(record).then(() => slow.records.set(record.key, { ...record, version: 1 }) !== undefined)
    },
  })),

  ...brokenReads,

  broken('replace reads, compares and then writes', 'of parallel replaces of one version exactly one wins', (slow) => ({
    async replace({ key, version }, { value, expiresAt }) {
      const old = await slow.store.get(key)
      if (old?.version !== version) return false
      await slow.roundTrip()
      slow.records.set(key, { ...old, value, expiresAt, version: version + 1 })
      return true
    },
  })),

  broken('replace creates what is absent', 'a removal beats a replace in flight', (slow) => ({
    async replace({ key, version, owner }, { value, expiresAt }) {
      await slow.roundTrip()
      const old = slow.find(key)
      if (old && old.version !== version) return false
      slow.records.set(key, { key, owner, value, expiresAt, version: version + 1 })
      return true
    },
  })),

  broken('replace gives up when a touch comes between', 'a replace that meets touches still wins', (slow) => ({
    async replace(current, next) {
      const before = await slow.store.get(current.key)
      await slow.roundTrip()
      const isSame = JSON.stringify(before) === JSON.stringify(slow.find(current.key))
      return isSame && slow.store.replace(current, next)
    },
  })),

  broken('touch writes back a record that was removed', 'a removal beats a touch in flight', upsertingTouch),
  broken('touch brings back what was revoked', 'removeByOwner beats touches and replaces in flight', upsertingTouch),

  broken('touch writes back the value that it read', 'a touch in flight undoes no replace', (slow) => ({
    async touch({ key }, expiresAt) {
      const old = await slow.store.get(key)
      await slow.roundTrip()
      if (!old || !slow.find(key)) return false
      slow.records.set(key, { ...old, expiresAt })
      return true
    },
  })),

  broken('remove is true for every caller that saw the record', 'of parallel removes exactly one wins', (slow) => ({
    async remove(key) {
      const found = await slow.store.get(key)
      await slow.store.remove(key)
      return found !== null
    },
  })),

  broken('removeByOwner counts what it saw', 'parallel removeByOwner calls count every record once', (slow) => ({
    async removeByOwner(owner, { except } = {}) {
      const { items } = await slow.store.listByOwner(owner, { limit: 1000 })
      const keys = items.map(({ key }) => key).filter((key) => key !== except)
      await Promise.all(keys.map((key) => slow.store.remove(key)))
      return keys.length
    },
  })),

  broken('the index is read, extended and written back', 'every one of parallel inserts is listed', (slow) => ({
    async insert(record) {
      const owner = record.owner ?? ''
      const keys = slow.indexed(owner)
      const stored = await slow.store.insert(record)
      if (record.owner !== null) slow.index.set(owner, new Set([...keys, record.key]))
      return stored
    },
  })),

  broken('remove writes the index back', 'inserts beside removes of the same owner stay listed', (slow) => ({
    async remove(key) {
      const owner = slow.find(key)?.owner ?? ''
      const keys = slow.indexed(owner)
      const removed = await slow.store.remove(key)
      if (removed) slow.index.set(owner, new Set(keys.filter((kept) => kept !== key)))
      return removed
    },
  })),

  broken(
    'removeByOwner clears the index',
    'what is inserted beside removeByOwner is either removed or listed',
    (slow) => ({
      async removeByOwner(owner, options) {
        const removed = await slow.store.removeByOwner(owner, options)
        slow.index.delete(owner)
        return removed
      },
    }),
  ),

  broken('removeByOwner ends with the first page', 'removeByOwner reaches beyond the first page', (slow) => ({
    async removeByOwner(owner, { except } = {}) {
      const { items } = await slow.store.listByOwner(owner)
      const keys = items.map(({ key }) => key).filter((key) => key !== except)
      const outcomes = await Promise.all(keys.map((key) => slow.store.remove(key)))
      return outcomes.filter(Boolean).length
    },
  })),

  broken('a listing goes by prefix', 'a listing has every record of the owner and no other', (slow) => ({
    async listByOwner(owner) {
      await slow.roundTrip()
      return { items: [...slow.records.values()].filter((record) => record.owner?.startsWith(owner)) }
    },
  })),

  broken(
    'pages are counted from the start',
    'a listing goes on after records of its earlier pages are removed',
    (slow) => ({
      async listByOwner(owner, { limit = 100, cursor = '0' } = {}) {
        const { items } = await slow.store.listByOwner(owner, { limit: 1000 })
        const end = Number(cursor) + limit
        const page = items.slice(Number(cursor), end)
        return end < items.length ? { items: page, cursor: String(end) } : { items: page }
      },
    }),
  ),

  broken('lifetimes are rounded down to seconds, and 0 means no expiry', 'a lifetime of 1 ms ends', (slow) => ({
    insert(record) {
      const seconds = Math.floor((record.expiresAt - wallClock()) / 1000)
      return slow.store.insert({ ...record, expiresAt: seconds > 0 ? wallClock() + seconds * 1000 : 8.64e15 })
    },
  })),

  broken('expired records are hidden by get only', 'an expired record is absent until it is removed', (slow) => ({
    async touch({ key }, expiresAt) {
      await slow.roundTrip()
      const old = slow.records.get(key)
      if (old) slow.records.set(key, { ...old, expiresAt })
      return old !== undefined
    },
  })),

  broken('remove leaves what has expired', 'what a client whose clock is ahead has removed is gone', (slow) => ({
    async remove(key) {
      await slow.roundTrip()
      return slow.find(key) !== null && slow.store.remove(key)
    },
  })),

  broken(
    'removeByOwner leaves what has expired',
    'what a client whose clock is ahead has removed by its owner is gone',
    (slow) => ({
      async removeByOwner(owner, { except } = {}) {
        const { items } = await slow.store.listByOwner(owner, { limit: 1000 })
        const keys = items.map(({ key }) => key).filter((key) => key !== except)
        return (await Promise.all(keys.map((key) => slow.store.remove(key)))).filter(Boolean).length
      },
    }),
  ),

  broken('each client has a clock of its own', 'now is one clock for every client, and it goes on', (slow) => {
    const startedAt = slow.store.now()
    return { now: () => startedAt }
  }),

  broken('sweep ignores its limit', 'a sweep removes expired records in bounded steps, and no other', (slow) => ({
    sweep: () => slow.store.sweep?.(Number.POSITIVE_INFINITY) ?? Promise.resolve(0),
  })),

  broken(
    'sweep always answers its limit',
    'a sweep removes expired records in bounded steps, and no other',
    (slow) => ({
      async sweep(limit) {
        await slow.store.sweep?.(limit)
        return limit
      },
    }),
  ),

  broken(
    'get returns the stored object itself',
    'changing an object that get returned does not change the record',
    (slow) => ({
      async get(key) {
        await slow.roundTrip()
        return slow.find(key)
      },
    }),
  ),
  ...brokenIndexes,
  ...brokenInstants,
  ...brokenLimits,
  ...brokenSweeps,
  ...brokenOutages,
]

function upsertingTouch({ store, records, index, roundTrip }: SlowStore): Partial<RecordStore> {
  return {
    async touch({ key, owner }, expiresAt) {
      const old = await store.get(key)
      await roundTrip()
      if (old) records.set(key, { ...old, expiresAt })
      if (old && owner !== null) index.get(owner)?.add(key)
      return old !== null
    },
  }
}
