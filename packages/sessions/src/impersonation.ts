import { isStoredCount, isStoredText, type StoredCheck, storedObject } from '@latchkey/store/internal'

/** Who acts as an account that is another one's, and what that stands on. It does not outlast any of it. */
export interface Impersonation {
  /** The account of the administrator. */
  readonly by: string
  /** The epoch of that account when it began. */
  readonly epoch: number
  /** The session or refresh family of the administrator. */
  readonly key: string
}

const isImpersonation = storedObject({ by: isStoredText, epoch: isStoredCount, key: isStoredText })

/** Most sessions and families are their owner's, and have none. */
export const isStoredImpersonation: StoredCheck = (value) => value === undefined || isImpersonation(value)

/** Returns the member of a value to store. */
export function impersonationMember(impersonation: Impersonation | null): { readonly impersonation?: Impersonation } {
  if (impersonation === null) return {}
  const { by, epoch, key } = impersonation
  return { impersonation: { by, epoch, key } }
}
