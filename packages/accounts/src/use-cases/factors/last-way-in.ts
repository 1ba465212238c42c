import type { StoredLink } from '@latchkey/store'
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

/** A passkey that verifies its user signs in alone. */
const alone: ReadonlySet<string> = new Set(['know+have', 'are+have'])

/**
 * Whether the owner of an account signs in without one of its links: by what counts above, another link, or a passkey.
 *
 * @param without `null`: with all of its links.
 */
export async function hasWayWithout(
  context: Pick<AccountsContext, 'signInCodes' | 'links' | 'passkeys'>,
  account: StoredAccount,
  without: StoredLink | null,
): Promise<boolean> {
  if (await hasOtherWay({ ...context, links: null }, account)) return true
  const links = (await context.links?.listByAccount(account.id)) ?? []
  const isOther = ({ issuer, subject }: StoredLink): boolean =>
    issuer !== without?.issuer || subject !== without.subject
  if (links.some(isOther)) return true
  return ((await context.passkeys?.list(account.id)) ?? []).some(({ category }) => alone.has(category))
}

export function lastWayIn(): AccountsError {
  return new AccountsError('LAST_WAY_IN', 'one way to sign in must be left')
}
