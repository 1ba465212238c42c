import { isStoredCount, isStoredText, type StoredCheck, storedObject, storedOrOmitted } from '@latchkey/store/internal'

/**
 * The administrator who acts as another account, with the epoch and session on which this depends. It expires with
 * either.
 */
export interface Impersonation {
  /** The account of the administrator. */
  readonly by: string
  /** The epoch of the administrator's account at its start. */
  readonly epoch: number
  /** The session or refresh family of the administrator. */
  readonly key: string
}

const isImpersonation = storedObject({ by: isStoredText, epoch: isStoredCount, key: isStoredText })

/** Absent in most sessions and families, which their owner uses. */
export const isStoredImpersonation: StoredCheck = storedOrOmitted(isImpersonation)

/** Returns the member of a value to store. */
export function impersonationMember(impersonation: Impersonation | null): { readonly impersonation?: Impersonation } {
  if (impersonation === null) return {}
  const { by, epoch, key } = impersonation
  return { impersonation: { by, epoch, key } }
}
