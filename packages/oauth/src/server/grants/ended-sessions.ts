import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { RecordStore } from '@latchkey/store'
import { deviceCodeSeconds } from './device-codes.ts'

/** Sessions of browsers that have ended, for as long as a code that was given out of one of them can still be shown. */
export interface EndedSessions {
  /** Remembers that a session has ended. Whatever is stored out of it from then on finds that with `has`. */
  add(sessionKey: string): Promise<void>
  has(sessionKey: string): Promise<boolean>
}

/** The life of a device's code is the longest; a request that has begun before the end may still store one. */
const keptMs = (deviceCodeSeconds + 60) * 1000

/** Creates the memory of ended sessions over a record store, which holds digests of their names. */
export function createEndedSessions(records: RecordStore, now: () => number): EndedSessions {
  const keyOf = (sessionKey: string): string => `es_${encodeBase64url(sha256(sessionKey))}`
  return {
    async add(sessionKey) {
      await records.insert({ key: keyOf(sessionKey), owner: null, expiresAt: now() + keptMs, value: '{}' })
    },
    async has(sessionKey) {
      const record = await records.get(keyOf(sessionKey))
      return record !== null && record.expiresAt > now()
    },
  }
}
