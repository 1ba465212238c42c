import { isStoredCount, type StoredCheck } from '@latchkey/store/internal'

/** Since when the account is asked to set up a second factor. Values of before have none, and so have most of today. */
export const isStoredInstant: StoredCheck = (value) => value === undefined || isStoredCount(value)

/** Returns the member of a value to store: none where nothing asks for a second factor. */
export function enrollmentMember(since: number | null): { readonly enrollmentSince?: number } {
  return since === null ? {} : { enrollmentSince: since }
}
