// Expiring records on LMDB: each change is one transaction, which finds the record, decides, and moves its entries along.
import type { RecordStore, StoredRecord } from '@latchkey/store'
import { hash, type LmdbDatabase, type LmdbTables, last } from './lmdb-database.ts'

/** Creates a record store on a database. */
export function createLmdbRecordStore({ read, change, now }: LmdbDatabase): RecordStore {
  const isLive = (record: StoredRecord | undefined): record is StoredRecord =>
    record !== undefined && record.expiresAt > now()

  return {
    capabilities: { contract: 1, consistency: 'strong', nativeExpiry: false, expiryGranularityMs: 1 },
    now,
    insert: ({ key, owner, expiresAt, value }) =>
      change((tables) => {
        const present = tables.records.get(hash(key))
        if (isLive(present)) return false
        if (present) drop(tables, present)
        put(tables, { key, owner, version: 1, expiresAt, value })
        return true
      }),
    get: (key) =>
      read(({ records }) => {
        const record = records.get(hash(key))
        return isLive(record) ? record : null
      }),
    replace: ({ key, version }, { value, expiresAt }) =>
      change((tables) => {
        const present = tables.records.get(hash(key))
        if (!isLive(present) || present.version !== version) return false
        drop(tables, present)
        put(tables, { ...present, version: version + 1, value, expiresAt })
        return true
      }),
    touch: ({ key }, expiresAt) =>
      change((tables) => {
        const present = tables.records.get(hash(key))
        if (!isLive(present)) return false
        drop(tables, present)
        put(tables, { ...present, expiresAt })
        return true
      }),
    remove: (key) =>
      change((tables) => {
        const present = tables.records.get(hash(key))
        if (present) drop(tables, present)
        return present !== undefined
      }),
    listByOwner: (owner, { limit = 100, cursor = '' } = {}) =>
      read((tables) => {
        const items: StoredRecord[] = []
        for (const record of ownedAfter(tables, owner, cursor)) {
          if (!isLive(record)) continue
          if (items.length === limit) return { items, cursor: hash(items.at(-1)?.key ?? '') }
          items.push(record)
        }
        return { items }
      }),
    removeByOwner: (owner, { except } = {}) =>
      change((tables) => {
        const removed = [...ownedAfter(tables, owner, '')].filter(({ key }) => key !== except)
        for (const record of removed) drop(tables, record)
        return removed.length
      }),
    sweep: (limit) =>
      change((tables) => {
        const ended = [...tables.recordEnds.getKeys({ end: [now(), last], limit })]
        for (const [, key] of ended) {
          const record = tables.records.get(key)
          if (record) drop(tables, record)
        }
        return ended.length
      }),
  }
}

function* ownedAfter({ records, recordOwners }: LmdbTables, owner: string, cursor: string): Iterable<StoredRecord> {
  const range = { start: [hash(owner), cursor], exclusiveStart: true, end: [hash(owner), last] }
  for (const [, key] of recordOwners.getKeys(range)) {
    const record = records.get(key)
    if (record) yield record
  }
}

function put({ records, recordOwners, recordEnds }: LmdbTables, record: StoredRecord): void {
  const key = hash(record.key)
  records.put(key, record)
  recordEnds.put([record.expiresAt, key], true)
  if (record.owner !== null) recordOwners.put([hash(record.owner), key], true)
}

function drop({ records, recordOwners, recordEnds }: LmdbTables, record: StoredRecord): void {
  const key = hash(record.key)
  records.remove(key)
  recordEnds.remove([record.expiresAt, key])
  if (record.owner !== null) recordOwners.remove([hash(record.owner), key])
}
