import type { StoredLink } from '@latchkey/store'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { AccountsError } from '../../errors.ts'
import type { StoredAccount } from '../../store/account-store.ts'

/** A passkey that verifies its user signs in alone. */
const alone: ReadonlySet<string> = new Set(['know+have', 'are+have'])

/**
 * Whether someone can sign in to an account without one of its links: by a password, another link, a passkey that verifies its user,
 * or a code of a mail where those are offered. A mail to choose a password is none of them.
 *
 * @param without `null`: with all of its links.
 */
export async function hasWayIn(
  { providers, passkeys, signInCodes }: AccountsContext,
  { id, passwordHash }: StoredAccount,
  without: StoredLink | null,
): Promise<boolean> {
  if (passwordHash !== null || signInCodes !== null) return true
  const links = (await providers?.links.listByAccount(id)) ?? []
  const isOther = ({ issuer, subject }: StoredLink): boolean =>
    issuer !== without?.issuer || subject !== without.subject
  if (links.some(isOther)) return true
  return ((await passkeys?.list(id)) ?? []).some(({ category }) => alone.has(category))
}

/** Returns the refusal of what would lock an owner out. */
export function lastWayIn(): AccountsError {
  return new AccountsError('LAST_WAY_IN', 'there is no other way to sign in to the account: set a password first')
}
