import type { AccountsContext } from '../../context/accounts-context.ts'
import { AccountsError } from '../../errors.ts'
import type { ProviderLink } from '../../providers/provider-links.ts'
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
): Promise<readonly ProviderLink[]> {
  return (await providers?.links.listByAccount(id)) ?? []
}

/** A passkey that verifies its user signs in alone. */
const alone: ReadonlySet<string> = new Set(['know+have', 'are+have'])

/** What is about to be removed: the public name of a passkey, or a link. */
export interface LeftOut {
  readonly passkey?: string
  readonly link?: Pick<ProviderLink, 'issuer' | 'subject'>
}

/**
 * Whether the owner of an account signs in without what is about to be removed: by what counts above, or by a passkey that verifies its
 * user. One that does not is asked for beside a password, and signs in alone nowhere.
 */
export async function hasWayIn(
  context: Ways,
  account: StoredAccount,
  { passkey, link }: LeftOut = {},
): Promise<boolean> {
  if (hasTypedWay(context, account)) return true
  const isOther = ({ issuer, subject }: ProviderLink): boolean => issuer !== link?.issuer || subject !== link.subject
  if ((await listLinks(context, account)).some(isOther)) return true
  const passkeys = (await context.passkeys?.list(account.id)) ?? []
  return passkeys.some(({ id, category }) => id !== passkey && alone.has(category))
}

/** Something that was removed, and was the last way in by then. */
export interface Removed {
  readonly insert: () => Promise<boolean>
  readonly remove: () => Promise<unknown>
}

/**
 * Puts back what was the last way in. Not where the account is gone by then, or has another address: what a deletion or an undone change
 * has ended stays so, and who has the address sets a password by a mail. `false`: it is removed.
 */
export async function putBack(
  { accounts }: Pick<AccountsContext, 'accounts'>,
  { id, email }: StoredAccount,
  { insert, remove }: Removed,
): Promise<boolean> {
  const isAsItWas = async (): Promise<boolean> => (await accounts.get(id))?.email === email
  if (!(await isAsItWas()) || !(await insert())) return false
  if (await isAsItWas()) return true
  await remove()
  return false
}

export function lastWayIn(): AccountsError {
  return new AccountsError('LAST_SIGN_IN_METHOD', 'at least one way to sign in must remain')
}
