import { decodeBase64url } from '@latchkey/bytes'
import { isSha256Of } from '@latchkey/bytes/internal'
import type { StoredRecord } from '@latchkey/store'
import { createParsedValues } from '../parsed-values.ts'
import { isSessionRecord, type SessionValue, sessionShape } from './session.ts'

/** A parsed record: only the secret and the limits differ between two reads of it. */
interface ParsedRecord {
  readonly value: SessionValue
  readonly digest: Uint8Array | null
}

/** Returns the value of a record that is a living session's with this secret, else `null`. */
export type SessionReader = (record: StoredRecord, secret: Uint8Array, now: number) => SessionValue | null

/**
 * Creates a reader that parses each text once. Its results are shared and frozen. Secret and limits are checked on
 * every call.
 */
export function createSessionReader(): SessionReader {
  const parse = createParsedValues((text): ParsedRecord => {
    const value = sessionShape.parse(text)
    return freeze({ value, digest: decodeBase64url(value.secretHash) })
  })

  return (record, secret, now) => {
    if (!isSessionRecord(record)) return null
    const { value, digest } = parse(record.value)
    if (value.endsAt <= now || record.expiresAt <= now) return null
    return digest !== null && isSha256Of(digest, secret) ? value : null
  }
}

function freeze(parts: ParsedRecord): ParsedRecord {
  const { factors, device, impersonation } = parts.value
  for (const shared of [...factors, factors, device, impersonation]) Object.freeze(shared)
  return parts
}
