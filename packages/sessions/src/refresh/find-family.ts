import type { StoredRecord } from '@latchkey/store'
import type { Stored } from '@latchkey/store/internal'
import type { RefreshContext } from './refresh-context.ts'
import { type FamilyValue, isFamilyKey, type RefreshFamily, readFamilyValue, toFamily } from './refresh-family.ts'

export interface FoundFamily {
  readonly record: StoredRecord
  readonly value: Stored<FamilyValue>
}

interface FamilySource {
  readRecord?(key: string): Promise<StoredRecord | null>
}

/** Returns the record of a living family with its value, or `null`. */
export async function findFamily(
  { records, now }: RefreshContext,
  key: string,
  { readRecord = records.get }: FamilySource = {},
): Promise<FoundFamily | null> {
  const record = isFamilyKey(key) ? await readRecord.call(records, key) : null
  const value = record && readFamilyValue(record, now())
  return value && { record, value }
}

export async function readFamily(
  { records, now, readValue }: RefreshContext,
  key: string,
  { readRecord = records.get }: FamilySource,
): Promise<RefreshFamily | null> {
  const record = isFamilyKey(key) ? await readRecord.call(records, key) : null
  const value = record && readValue(record, now())
  return value && toFamily(record, value)
}
