import type { AccountsContext } from '../../context/accounts-context.ts'
import { AccountsError } from '../../errors.ts'
import type { StoredAccount } from '../../store/account-store.ts'

/**
 * Whether the owner of an account signs in without its passkeys. A password counts while it is set; one that too many failures have
 * disabled is enabled by a reset. A reset itself does not: it is how an owner comes back, and not how one signs in.
 */
export async function hasOtherWay(
  { signInCodes, links }: Pick<AccountsContext, 'signInCodes' | 'links'>,
  { id, passwordHash }: StoredAccount,
): Promise<boolean> {
  if (passwordHash !== null || signInCodes !== null) return true
  return links !== null && (await links.listByAccount(id)).length > 0
}

export function lastWayIn(): AccountsError {
  return new AccountsError('LAST_WAY_IN', 'one way to sign in must be left')
}
