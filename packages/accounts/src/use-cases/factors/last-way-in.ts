import type { StoredLink } from '@latchkey/store'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { AccountsError } from '../../errors.ts'
import type { StoredAccount } from '../../store/account-store.ts'

type Ways = Pick<AccountsContext, 'signInCodes' | 'providers' | 'passkeys'>

/**
 * Whether the owner of an account signs in without its passkeys. A password counts while it is set; one that too many failures have
 * disabled is enabled by a reset. A reset itself does not: it is how an owner comes back, and not how one signs in. Links to providers
 * count where sign-ins with them are offered.
 */
export async function hasOtherWay(context: Omit<Ways, 'passkeys'>, account: StoredAccount): Promise<boolean> {
  return hasTypedWay(context, account) || (await listLinks(context, account)).length > 0
}

function hasTypedWay({ signInCodes }: Pick<Ways, 'signInCodes'>, { passwordHash }: StoredAccount): boolean {
  return passwordHash !== null || signInCodes !== null
}

async function listLinks(
  { providers }: Pick<Ways, 'providers'>,
  { id }: StoredAccount,
): Promise<readonly StoredLink[]> {
  return (await providers?.links.listByAccount(id)) ?? []
}

/** A passkey that verifies its user signs in alone. */
const alone: ReadonlySet<string> = new Set(['know+have', 'are+have'])

/**
 * Whether the owner of an account signs in without one of its links: by what counts above, another link, or a passkey.
 *
 * @param without `null`: with all of its links.
 */
export async function hasWayWithout(
  context: Ways,
  account: StoredAccount,
  without: StoredLink | null,
): Promise<boolean> {
  if (hasTypedWay(context, account)) return true
  const isOther = ({ issuer, subject }: StoredLink): boolean =>
    issuer !== without?.issuer || subject !== without.subject
  if ((await listLinks(context, account)).some(isOther)) return true
  return ((await context.passkeys?.list(account.id)) ?? []).some(({ category }) => alone.has(category))
}

export function lastWayIn(): AccountsError {
  return new AccountsError('LAST_WAY_IN', 'one way to sign in must be left')
}
