import type { AccountsContext } from '../context/accounts-context.ts'
import { offered } from '../errors.ts'
import type { StoredAccount } from '../store/account-store.ts'

/** A passkey that has signed, with its account at that time. */
interface UsedPasskey {
  readonly accountId: string
  readonly passkey: { readonly id: string }
}

/**
 * Returns the account of a passkey, or `null` if the passkey or the account is gone. The passkeys are read after the
 * account: a passkey that was removed before is found missing, and a later removal raises the epoch that was read.
 */
export async function readPasskeyAccount(
  { accounts, passkeys }: Pick<AccountsContext, 'accounts' | 'passkeys'>,
  { accountId, passkey }: UsedPasskey,
): Promise<StoredAccount | null> {
  const account = await accounts.get(accountId)
  const left = account ? await offered(passkeys).list(accountId) : []
  return left.some(({ id }) => id === passkey.id) ? account : null
}
