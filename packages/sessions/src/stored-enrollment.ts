import { isStoredCount, type StoredCheck, storedOrOmitted } from '@latchkey/store/internal'

/**
 * The time at which the account was first asked for a second factor. Absent in older values, and in most values of
 * today.
 */
export const isStoredInstant: StoredCheck = storedOrOmitted(isStoredCount)

/** Returns the member of a value to store: no member if the account was not asked. */
export function enrollmentMember(since: number | null): { readonly enrollmentSince?: number } {
  return since === null ? {} : { enrollmentSince: since }
}
