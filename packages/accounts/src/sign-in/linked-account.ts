import type { AccountsContext } from '../context/accounts-context.ts'
import type { ProviderLink } from '../providers/provider-links.ts'
import type { Providers } from '../providers/provider-options.ts'
import type { StoredAccount } from '../store/account-store.ts'

/**
 * Returns the account of a link, or `null` if the link or the account is gone. The link is read once more after the
 * account: a link that was removed before the account was read is found missing, and a later removal raises the epoch
 * that was read.
 */
export async function readLinkedAccount(
  { accounts }: Pick<AccountsContext, 'accounts'>,
  { links }: Pick<Providers, 'links'>,
  { issuer, subject, accountId }: ProviderLink,
): Promise<StoredAccount | null> {
  const account = await accounts.get(accountId)
  const latest = account && (await links.get(issuer, subject))
  return latest?.accountId === accountId ? account : null
}
