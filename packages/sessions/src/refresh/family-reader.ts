import type { StoredRecord } from '@latchkey/store'
import { type FamilyValue, familyShape, isFamilyKey } from './refresh-family.ts'

/** Returns the value of a record that is a living family's, else `null`. What it returns is not to be changed. */
export type FamilyReader = (record: StoredRecord, now: number) => FamilyValue | null

/**
 * Creates a reader that parses a frozen record once, as that of sessions: what several callers get of it is frozen as well.
 * The limits are checked on every call.
 */
export function createFamilyReader(): FamilyReader {
  const parsed = new WeakMap<StoredRecord, FamilyValue>()

  function parse(record: StoredRecord): FamilyValue {
    const known = parsed.get(record)
    if (known) return known
    const value = familyShape.parse(record.value)
    if (Object.isFrozen(record)) parsed.set(record, freeze(value))
    return value
  }

  return (record, now) => {
    if (record.owner === null || !isFamilyKey(record.key)) return null
    const value = parse(record)
    return value.endsAt > now && record.expiresAt > now ? value : null
  }
}

function freeze(value: FamilyValue): FamilyValue {
  const { factors, device, scopes } = value
  for (const shared of [...factors, factors, device, scopes]) Object.freeze(shared)
  return value
}
