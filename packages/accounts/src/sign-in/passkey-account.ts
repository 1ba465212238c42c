import type { AccountsContext } from '../context/accounts-context.ts'
import { offered } from '../errors.ts'
import type { StoredAccount } from '../store/account-store.ts'

/** A passkey that has signed, and whose it was then. */
interface UsedPasskey {
  readonly accountId: string
  readonly passkey: { readonly id: string }
}

/**
 * Returns the account of a passkey, or `null` where one of both is gone. The passkeys are read after the account: one that was removed
 * before that is gone by then, and what removes it later raises the epoch that was read.
 */
export async function readPasskeyAccount(
  { accounts, passkeys }: Pick<AccountsContext, 'accounts' | 'passkeys'>,
  { accountId, passkey }: UsedPasskey,
): Promise<StoredAccount | null> {
  const account = await accounts.get(accountId)
  const left = account ? await offered(passkeys).list(accountId) : []
  return left.some(({ id }) => id === passkey.id) ? account : null
}
