import type { Accounts } from '@latchkey/accounts'
import type { Identity } from '@latchkey/rbac'

/** A credential, as it was read. */
export interface ReadCredential {
  /** Epoch milliseconds. */
  readonly expiresAt: number
  /** The lineage of its session or family; `null`: it is a machine's. */
  readonly lineage: string | null
  /** Whether the client and the consent of its token are still accepted. Omitted: it is of the service itself. */
  isGranted?(): Promise<boolean>
}

export interface RenewalParts {
  readonly accounts: Pick<Accounts, 'listSessions'>
  readonly now: () => number
}

/**
 * Returns whether the client of a refused credential can present a newer credential of the same sign-in: the credential
 * was renewed, or it has expired and the sign-in is still valid.
 */
export async function isRenewable(
  { subject, key }: Identity,
  { expiresAt, lineage, isGranted }: ReadCredential,
  { accounts, now }: RenewalParts,
): Promise<boolean> {
  if (isGranted && !(await isGranted())) return false
  const isExpired = now() >= expiresAt
  if (lineage === null) return isExpired
  const open = await accounts.listSessions(subject)
  return open.some((opened) => {
    const isSuccessor = isExpired || opened.key !== key
    // An impersonation is never renewed.
    return isSuccessor && opened.lineage === lineage && opened.impersonation === null
  })
}
