import { encodeBase64url, sha256 } from '@latchkey/bytes'
import { type RecordStore, StoreError } from '@latchkey/store'
import { deviceCodeSeconds } from './device-codes.ts'

/** Revoked and expired sessions of browsers, stored while a code of the session can still be presented. */
export interface EndedSessions {
  /**
   * Stores that a session is revoked or has expired. Later writes for the session find this with `has`. If it is stored already,
   * it is kept for the whole time again: a session that was only marked may have given further codes.
   */
  add(sessionKey: string): Promise<void>
  has(sessionKey: string): Promise<boolean>
}

/** The lifetime of a device code is the longest: a request that started before may still store a code. */
const keptMs = (deviceCodeSeconds + 60) * 1000

const retries = 5

/** Creates the set over a record store, which holds digests of the names. */
export function createEndedSessions(records: RecordStore, now: () => number): EndedSessions {
  const keyOf = (sessionKey: string): string => `es_${encodeBase64url(sha256(sessionKey))}`
  return {
    async add(sessionKey) {
      const [key, owner] = [keyOf(sessionKey), null]
      for (let made = 0; made <= retries; made++) {
        const expiresAt = now() + keptMs
        if (await records.insert({ key, owner, expiresAt, value: '{}' })) return
        if (await records.touch({ key, owner }, expiresAt)) return
      }
      throw new StoreError('STORE_UNAVAILABLE', 'the record kept changing while it was written')
    },
    async has(sessionKey) {
      const record = await records.get(keyOf(sessionKey))
      return record !== null && record.expiresAt > now()
    },
  }
}
