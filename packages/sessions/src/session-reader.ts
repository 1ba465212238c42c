import { decodeBase64url, isSha256Of } from '@latchkey/bytes'
import type { StoredRecord } from '@latchkey/store'
import { isSessionRecord, type SessionValue } from './session.ts'

/** A record taken apart for the one question that every request asks. */
interface KnownRecord {
  readonly value: SessionValue
  readonly digest: Uint8Array | null
}

/**
 * Gives what tells the value of a session's record from its secret, or `null`: another kind, a limit that is over, a
 * wrong secret.
 *
 * A record that cannot change is taken apart once: the store in memory gives the same frozen object each time. What its
 * readers share is frozen too. Whose secret it is, and whether a limit is over, is asked each time.
 */
export function createSessionReader(): (record: StoredRecord, secret: Uint8Array, now: number) => SessionValue | null {
  const known = new WeakMap<StoredRecord, KnownRecord>()

  function takeApart(record: StoredRecord): KnownRecord {
    const before = known.get(record)
    if (before) return before
    const value: SessionValue = JSON.parse(record.value)
    const parts = { value, digest: decodeBase64url(value.secretHash) }
    if (Object.isFrozen(record)) known.set(record, freeze(parts))
    return parts
  }

  return (record, secret, now) => {
    if (!isSessionRecord(record)) return null
    const { value, digest } = takeApart(record)
    if (value.endsAt <= now || record.expiresAt <= now) return null
    return digest !== null && isSha256Of(digest, secret) ? value : null
  }
}

function freeze(parts: KnownRecord): KnownRecord {
  const { factors, device } = parts.value
  for (const shared of [...factors, factors, device]) Object.freeze(shared)
  return parts
}
