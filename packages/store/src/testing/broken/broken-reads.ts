import type { StoredRecord } from '../../record-store.ts'
import { type BrokenRecordStore, broken } from './broken-store.ts'

const title = 'reads beside changes of one record fit one order'

/** Stores whose answers are wrong only while calls overlap, and only if they are compared with each other. */
export const brokenReads: readonly BrokenRecordStore[] = [
  broken('get joins a read that began before a change', title, (slow) => {
    const reads = new Map<string, Promise<StoredRecord | null>>()
    return {
      get(key) {
        const joined = reads.get(key)
        if (joined) return joined
        const read = slow.store.get(key).then(async (record) => {
          for (let trip = 0; trip < 3; trip++) await slow.roundTrip()
          return record
        })
        const settled = read.finally(() => reads.delete(key))
        reads.set(key, settled)
        return settled
      },
    }
  }),

  broken('get goes back to the old record while a replace is in flight', title, (slow) => {
    const old = new Map<string, StoredRecord>()
    let reads = 0
    return {
      async replace(current, next) {
        const before = slow.find(current.key)
        if (before) old.set(current.key, before)
        const isReplaced = await slow.store.replace(current, next)
        for (let trip = 0; trip < 6; trip++) await slow.roundTrip()
        old.delete(current.key)
        return isReplaced
      },
      async get(key) {
        const record = await slow.store.get(key)
        reads += 1
        return reads % 2 ? record : (old.get(key) ?? record)
      },
    }
  }),

  broken('touch is skipped while a replace is in flight', title, (slow) => {
    const replacing = new Set<string>()
    return {
      async replace(current, next) {
        replacing.add(current.key)
        const isReplaced = await slow.store.replace(current, next)
        for (let trip = 0; trip < 3; trip++) await slow.roundTrip()
        replacing.delete(current.key)
        return isReplaced
      },
      async touch(current, expiresAt) {
        if (!replacing.has(current.key)) return slow.store.touch(current, expiresAt)
        return (await slow.store.get(current.key)) !== null
      },
    }
  }),
]
