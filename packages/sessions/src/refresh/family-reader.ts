import type { StoredRecord } from '@latchkey/store'
import { createParsedValues } from '../parsed-values.ts'
import { type FamilyValue, familyShape, isFamilyKey } from './refresh-family.ts'

/** Returns the value of an unexpired family's record, else `null`. Values are shared and frozen. */
export type FamilyReader = (record: StoredRecord, now: number) => FamilyValue | null

/** Creates a reader that parses a text once. The limits are checked on every call. */
export function createFamilyReader(): FamilyReader {
  const parse = createParsedValues((text) => freeze(familyShape.parse(text)))
  return (record, now) => {
    if (record.owner === null || !isFamilyKey(record.key)) return null
    const value = parse(record.value)
    return value.endsAt > now && record.expiresAt > now ? value : null
  }
}

function freeze(value: FamilyValue): FamilyValue {
  const { factors, device, scopes, resources, impersonation } = value
  for (const shared of [...factors, factors, device, scopes, resources, impersonation]) Object.freeze(shared)
  return value
}
