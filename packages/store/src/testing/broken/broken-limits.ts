import { pause } from '@latchkey/core/internal'
import type { RecordStore } from '../../record-store.ts'
import { type BrokenRecordStore, broken } from './broken-store.ts'
import type { SlowStore } from './slow-store.ts'

/** Stores whose columns, pages or locks are too small. */
export const brokenLimits: readonly BrokenRecordStore[] = [
  broken('a key is cut at 255 characters', 'a key of 512 bytes is kept whole', ({ store }) => ({
    insert: (record) => store.insert({ ...record, key: record.key.slice(0, 255) }),
  })),

  broken('a key is cut at 512 characters', 'a key of 513 bytes is kept whole or rejected, never cut', ({ store }) => ({
    insert: (record) => store.insert({ ...record, key: record.key.slice(0, 512) }),
    get: async (key) => store.get(key.slice(0, 512)),
    remove: (key) => store.remove(key.slice(0, 512)),
  })),

  broken('a value ends at NUL', 'NUL in a value is kept or rejected, never cut', ({ store }) => ({
    insert: (record) => store.insert({ ...record, value: record.value.split('\0', 1)[0] ?? '' }),
  })),

  broken('a replaced value ends at NUL', 'NUL in a value is kept or rejected, never cut', ({ store }) => ({
    replace: (current, next) => store.replace(current, { ...next, value: next.value.split('\0', 1)[0] ?? '' }),
  })),

  broken('an owner is cut at 255 characters', 'an owner of 512 bytes is kept whole', ({ store }) => ({
    insert: (record) => store.insert({ ...record, owner: record.owner?.slice(0, 255) ?? null }),
  })),

  broken('a value is cut at 65,535 characters', 'values of every length up to 1 MB come back whole', ({ store }) => ({
    insert: (record) => store.insert({ ...record, value: record.value.slice(0, 65_535) }),
  })),

  broken('a version has 8 bits', 'a record may be replaced hundreds of times', ({ store }) => ({
    replace: async (current, next) => (current.version < 255 ? store.replace(current, next) : false),
  })),

  broken('a version has 16 bits', 'a version has more than 32 bits', ({ store }) => ({
    replace: async (current, next) => (current.version < 65_535 ? store.replace(current, next) : false),
  })),

  broken('a change of nothing counts no row', 'a touch or a replace that changes nothing is true', (slow) => ({
    async touch(current, expiresAt) {
      const old = await slow.store.get(current.key)
      return old?.expiresAt !== expiresAt && slow.store.touch(current, expiresAt)
    },
  })),

  broken('a listing ends at 1,000 records', 'a listing and a removal go beyond 1,000 records', (slow) => ({
    async listByOwner(owner, { limit = 100, cursor = '' } = {}) {
      await slow.roundTrip()
      const all = slow.indexed(owner).slice(0, 1000)
      const found = all.filter((key) => key > cursor)
      const items = found.slice(0, limit).flatMap((key) => slow.find(key) ?? [])
      return found.length > limit ? { items, cursor: found[limit - 1] ?? '' } : { items }
    },
  })),

  broken('removeByOwner ends at 1,000 records', 'a listing and a removal go beyond 1,000 records', (slow) => ({
    async removeByOwner(owner, { except } = {}) {
      const keys = slow.indexed(owner).filter((key) => key !== except)
      const outcomes = await Promise.all(keys.slice(0, 1000).map((key) => slow.store.remove(key)))
      return outcomes.filter(Boolean).length
    },
  })),

  broken(
    'removeByOwner ends when another call was faster',
    'removeByOwner, four times at once, ends when none is left',
    (slow) => ({
      async removeByOwner(owner, { except } = {}) {
        for (let count = 0; ; ) {
          const keys = slow.indexed(owner).filter((key) => key !== except)
          const outcomes = await Promise.all(keys.slice(0, 1000).map((key) => slow.store.remove(key)))
          const removed = outcomes.filter(Boolean).length
          count += removed
          if (removed < 1000) return count
          // Between two steps others have a turn.
          await pause(50)
        }
      },
    }),
  ),

  broken(
    'a deadlock is not tried again',
    'every method at once on the records of one owner fails nowhere',
    deadlocking,
  ),
]

/** Of two that lock the records of an owner at once, one is refused. */
function deadlocking({ store, roundTrip }: SlowStore): Partial<RecordStore> {
  const locked = new Set<string>()
  return {
    async removeByOwner(owner, options) {
      if (locked.has(owner)) throw new Error('deadlock found when trying to get lock')
      locked.add(owner)
      await roundTrip()
      locked.delete(owner)
      return store.removeByOwner(owner, options)
    },
  }
}
