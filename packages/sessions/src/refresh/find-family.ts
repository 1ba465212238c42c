import type { Stored, StoredRecord } from '@latchkey/store'
import type { RefreshContext } from './refresh-context.ts'
import { type FamilyValue, isFamilyKey, type RefreshFamily, readFamilyValue, toFamily } from './refresh-family.ts'

export interface FoundFamily {
  readonly record: StoredRecord
  readonly value: Stored<FamilyValue>
}

/** Returns the record of a living family with its value, or `null`. */
export async function findFamily({ records, now }: RefreshContext, key: string): Promise<FoundFamily | null> {
  const record = isFamilyKey(key) ? await records.get(key) : null
  const value = record && readFamilyValue(record, now())
  return value && { record, value }
}

/** How a family is found. */
export interface ReadFamilyOptions {
  /**
   * Reads the record of a key in the place of the store's `get`, for a caller that reads more than it in one statement of
   * the same store. Omitted: `get`.
   */
  readRecord?(key: string): Promise<StoredRecord | null>
}

export async function readFamily(
  { records, now, readValue }: RefreshContext,
  key: string,
  { readRecord = records.get }: ReadFamilyOptions,
): Promise<RefreshFamily | null> {
  const record = isFamilyKey(key) ? await readRecord.call(records, key) : null
  const value = record && readValue(record, now())
  return value && toFamily(record, value)
}
