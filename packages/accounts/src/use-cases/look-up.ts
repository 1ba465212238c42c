import type { AccountsContext } from '../context/accounts-context.ts'
import { type Account, toAccount } from '../store/account-store.ts'
import { canonicalEmail } from '../store/canonical-email.ts'

export async function getAccount({ accounts }: AccountsContext, id: string): Promise<Account | null> {
  const account = await accounts.get(id)
  return account && toAccount(account)
}

export async function findByEmail({ accounts }: AccountsContext, text: string): Promise<Account | null> {
  const email = canonicalEmail(text)
  const account = email === null ? null : await accounts.getByEmail(email)
  return account && toAccount(account)
}
