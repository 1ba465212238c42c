import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { RecordStore } from '@latchkey/store'
import { deviceCodeSeconds } from './device-codes.ts'

/** Revoked and expired sessions of browsers, stored while a code of the session can still be presented. */
export interface EndedSessions {
  /** Stores that a session is revoked or has expired. Later writes for the session find this with `has`. */
  add(sessionKey: string): Promise<void>
  has(sessionKey: string): Promise<boolean>
}

/** The lifetime of a device code is the longest: a request that started before may still store a code. */
const keptMs = (deviceCodeSeconds + 60) * 1000

/** Creates the set over a record store, which holds digests of the names. */
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
