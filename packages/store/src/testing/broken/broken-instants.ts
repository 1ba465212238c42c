import type { RecordStore, StoredRecord } from '../../record-store.ts'
import { type BrokenRecordStore, broken } from './broken-store.ts'
import type { SlowStore } from './slow-store.ts'

/** Stores that compare an instant wrongly, or store a different instant. */
export const brokenInstants: readonly BrokenRecordStore[] = [
  broken(
    'an instant is stored as local time',
    'an instant is kept to the millisecond where local clocks are changed',
    ({ store }) => ({
      insert: (record) => store.insert({ ...record, expiresAt: throughLocalTime(record.expiresAt) }),
    }),
  ),

  broken('a record expires a millisecond early', 'a record lives until the millisecond before its expiry', (slow) => ({
    async get(key) {
      const record = await slow.store.get(key)
      return record && record.expiresAt > slow.store.now() + 1 ? record : null
    },
  })),

  broken(
    'a record expires a millisecond late',
    'a record is absent from the millisecond of its expiry on',
    ({ store, records, roundTrip }) => ({
      async get(key) {
        await roundTrip()
        const record = records.get(key)
        return record && record.expiresAt >= store.now() ? { ...record } : null
      },
    }),
  ),

  broken('a sweep is a millisecond ahead', 'a sweep leaves what has a millisecond to live', (slow) => ({
    async sweep(limit) {
      await slow.roundTrip()
      const time = slow.store.now() + 1
      const expired = [...slow.records.values()].filter(({ expiresAt }) => expiresAt <= time).slice(0, limit)
      for (const { key } of expired) slow.records.delete(key)
      return expired.length
    },
  })),

  broken('touch only extends', 'touch and replace can end a record', ({ store, find }) => ({
    touch: (current, expiresAt) => store.touch(current, Math.max(expiresAt, find(current.key)?.expiresAt ?? 0)),
  })),

  broken('replace only extends', 'touch and replace can end a record', ({ store, find }) => ({
    replace: (current, next) =>
      store.replace(current, { ...next, expiresAt: Math.max(next.expiresAt, find(current.key)?.expiresAt ?? 0) }),
  })),

  broken(
    'the score of an index entry is lowered',
    'a record that touches at once leave alive is listed while it lives',
    lowerScores,
  ),

  broken(
    'an insert keeps the version of what has expired',
    'an insert over an expired record keeps nothing of it',
    (slow) => insertOver(slow, ({ version }) => ({ version })),
  ),

  broken(
    'an insert keeps the owner of what has expired',
    'an insert over an expired record keeps nothing of it',
    (slow) => insertOver(slow, ({ owner }) => ({ owner })),
  ),
]

function insertOver(
  { store, records }: SlowStore,
  kept: (old: StoredRecord) => Partial<StoredRecord>,
): Partial<RecordStore> {
  return {
    async insert(record) {
      const old = records.get(record.key)
      const isStored = await store.insert(record)
      if (isStored && old) records.set(record.key, { ...record, version: 1, ...kept(old) })
      return isStored
    },
  }
}

const scores = new WeakMap<SlowStore['records'], Map<string, number>>()

/** Each entry of the index has a score, set before the record, also when another has raised it meanwhile. */
function lowerScores({ store, records, roundTrip }: SlowStore): Partial<RecordStore> {
  const scored = scores.get(records) ?? new Map<string, number>()
  scores.set(records, scored)
  return {
    async touch(current, expiresAt) {
      const isFirst = !scored.has(current.key)
      scored.set(current.key, expiresAt)
      // The way to the backend is longer for some than for others.
      if (isFirst) await roundTrip()
      return store.touch(current, expiresAt)
    },
    async listByOwner(owner, page) {
      const listed = await store.listByOwner(owner, page)
      const items = listed.items.filter(({ key }) => (scored.get(key) ?? Number.POSITIVE_INFINITY) > store.now())
      return { ...listed, items }
    },
  }
}

const centralEurope = new Intl.DateTimeFormat('en', { timeZone: 'Europe/Berlin', timeZoneName: 'longOffset' })

/** The wall clock of Central Europe and back: an hour of each autumn is there twice and reads as the second of the two. */
function throughLocalTime(instant: number): number {
  const wall = instant + offsetAt(instant)
  return wall - offsetAt(wall)
}

function offsetAt(instant: number): number {
  if (!(Math.abs(instant) <= 8.64e15)) return 0
  const name = centralEurope.formatToParts(instant).find(({ type }) => type === 'timeZoneName')?.value ?? ''
  return Number(/([+-]\d+):/.exec(name)?.[1] ?? 0) * 3_600_000
}
