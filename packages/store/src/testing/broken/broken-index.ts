import { wallClock } from '@latchkey/core/internal'
import type { RecordStore } from '../../record-store.ts'
import { type BrokenRecordStore, broken } from './broken-store.ts'
import type { SlowStore } from './slow-store.ts'

const minute = 60_000

/** Stores with a cleanup of the index of owners, which loses records that live longer than at first. */
export const brokenIndexes: readonly BrokenRecordStore[] = [
  broken(
    'touch leaves the first expiry in the index of the owner',
    'a touched record stays listed beyond the grace of its index, 60 s after its first expiry',
    // By both clocks, as a server with a clock of its own does.
    (slow) => trimming(slow, ['insert', 'replace'], () => Math.min(slow.store.now(), wallClock())),
  ),
  broken(
    'replace leaves the first expiry in the index of the owner',
    'a replaced record stays listed beyond the grace of its index, 60 s after its first expiry',
    (slow) => trimming(slow, ['insert', 'touch'], slow.store.now),
  ),
  broken(
    'insert leaves the expiry of an expired record in the index of the owner',
    'a record over an expired one stays listed beyond the grace of its index, 60 s after the first expiry',
    (slow) => trimming(slow, ['touch', 'replace'], slow.store.now),
  ),
]

const scores = new WeakMap<SlowStore['records'], Map<string, number>>()

/** An insert removes entries of its owner that are past by a minute. Only these methods raise the score of an entry. */
function trimming(
  { store, records, index }: SlowStore,
  raising: readonly ('insert' | 'touch' | 'replace')[],
  now: () => number,
): Partial<RecordStore> {
  const scored = scores.get(records) ?? new Map<string, number>()
  scores.set(records, scored)
  const raise = (method: (typeof raising)[number], key: string, expiresAt: number) => {
    if (raising.includes(method)) scored.set(key, Math.max(expiresAt, scored.get(key) ?? 0))
  }
  return {
    insert(record) {
      const keys = index.get(record.owner ?? '') ?? new Set()
      for (const key of keys) if ((scored.get(key) ?? 0) <= now() - minute) keys.delete(key)
      if (!scored.has(record.key)) scored.set(record.key, record.expiresAt)
      raise('insert', record.key, record.expiresAt)
      return store.insert(record)
    },
    touch(current, expiresAt) {
      raise('touch', current.key, expiresAt)
      return store.touch(current, expiresAt)
    },
    replace(current, next) {
      raise('replace', current.key, next.expiresAt)
      return store.replace(current, next)
    },
  }
}
