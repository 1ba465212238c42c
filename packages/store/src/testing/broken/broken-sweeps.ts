import { pause } from '@latchkey/core/internal'
import type { RecordStore } from '../../record-store.ts'
import { type BrokenRecordStore, broken } from './broken-store.ts'
import type { SlowStore } from './slow-store.ts'

const prolonged = 'a sweep leaves what a touch or a replace has prolonged'
const beside = 'a sweep beside inserts over expired records keeps the new ones'
const seen = 'a reader sees a record at every moment of its touches and replaces'

/** Stores whose sweep removes unexpired records, or hides them for a moment. */
export const brokenSweeps: readonly BrokenRecordStore[] = [
  broken('touch leaves the index of expiries as it is', prolonged, (slow) => sweepingByIndex(slow, { replace: true })),
  broken('replace leaves the index of expiries as it is', prolonged, (slow) => sweepingByIndex(slow, { touch: true })),
  broken('sweep selects and then removes', beside, (slow) => ({
    async sweep(limit) {
      const time = slow.store.now()
      const expired = [...slow.records.values()].filter(({ expiresAt }) => expiresAt <= time).slice(0, limit)
      // A large batch takes its time.
      await pause(40)
      for (const { key } of expired) slow.records.delete(key)
      return expired.length
    },
  })),
  broken('touch removes a record and inserts it again', seen, ({ store, records, find, roundTrip }) => ({
    async touch({ key }, expiresAt) {
      await roundTrip()
      const old = find(key)
      if (!old) return false
      records.delete(key)
      await roundTrip()
      return (await store.insert(old)) && records.set(key, { ...old, expiresAt }).has(key)
    },
  })),
  broken('replace removes a record and inserts it again', seen, ({ store, records, find, roundTrip }) => ({
    async replace({ key, version }, next) {
      await roundTrip()
      const old = find(key)
      if (old?.version !== version) return false
      records.delete(key)
      await roundTrip()
      const isStored = await store.insert(old)
      return isStored && records.set(key, { ...old, ...next, version: version + 1 }).has(key)
    },
  })),
  broken(
    'a listing leaves out expired records after the limit',
    'a listing reaches live records behind expired ones',
    (slow) => ({
      async listByOwner(owner, { limit = 100, cursor = '' } = {}) {
        await slow.roundTrip()
        const keys = slow.indexed(owner).filter((key) => key > cursor)
        const items = keys.slice(0, limit).flatMap((key) => slow.find(key) ?? [])
        return items.length === limit && keys.length > limit ? { items, cursor: keys[limit - 1] ?? '' } : { items }
      },
    }),
  ),
]

const expiries = new WeakMap<SlowStore['records'], Map<string, number>>()

/** Sweeps by an index of expiries, which only these methods and insert keep. */
function sweepingByIndex(
  { store, records, roundTrip }: SlowStore,
  kept: { readonly touch?: boolean; readonly replace?: boolean },
): Partial<RecordStore> {
  const index = expiries.get(records) ?? new Map<string, number>()
  expiries.set(records, index)
  return {
    async insert(record) {
      const isStored = await store.insert(record)
      if (isStored) index.set(record.key, record.expiresAt)
      return isStored
    },
    async touch(current, expiresAt) {
      const isDone = await store.touch(current, expiresAt)
      if (isDone && kept.touch) index.set(current.key, expiresAt)
      return isDone
    },
    async replace(current, next) {
      const isDone = await store.replace(current, next)
      if (isDone && kept.replace) index.set(current.key, next.expiresAt)
      return isDone
    },
    async sweep(limit) {
      await roundTrip()
      const expired = [...index].filter(([, expiresAt]) => expiresAt <= store.now()).slice(0, limit)
      for (const [key] of expired) {
        records.delete(key)
        index.delete(key)
      }
      return expired.length
    },
  }
}
