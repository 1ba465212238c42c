import { guardCall } from './backend-gate.ts'
import { type BrokenRecordStore, broken } from './broken-store.ts'

/** Stores that return wrong results during an outage of their backend. */
export const brokenOutages: readonly BrokenRecordStore[] = [
  broken(
    'get answers null when the backend fails',
    'an unreachable backend is an outage to every method, never an answer',
    ({ store }) => ({ get: (key) => store.get(key).catch(() => null) }),
  ),

  broken(
    'the error of the driver is passed on',
    'an outage is a StoreError, not the error of the driver',
    ({ unguarded }) => ({ get: unguarded.get, insert: unguarded.insert }),
  ),

  broken(
    'a connection is tried again and again',
    'an unreachable backend is given up at the deadline',
    ({ store, gate }) => ({ get: (key) => (gate.isOpen() ? store.get(key) : new Promise(() => {})) }),
  ),

  broken('a call has no deadline', 'a frozen backend is given up at the deadline', ({ unguarded }) => ({
    remove: unguarded.remove,
  })),

  broken(
    'a call that has failed is executed later',
    'what was reported as failed is not executed when a frozen backend goes on',
    ({ records, gate, find }) => ({
      replace: ({ key, version }, next) =>
        guardCall(async () => {
          await gate.passLate()
          const old = find(key)
          if (old?.version !== version) return false
          records.set(key, { ...old, ...next, version: version + 1 })
          return true
        }, gate),
    }),
  ),
]
