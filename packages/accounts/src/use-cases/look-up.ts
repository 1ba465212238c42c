import type { AccountsContext } from '../context/accounts-context.ts'
import { type Account, type AccountStore, type StoredAccount, toAccount } from '../store/account-store.ts'
import { canonicalEmail } from '../store/canonical-email.ts'

export async function getAccount({ accounts }: AccountsContext, id: string): Promise<Account | null> {
  const account = await accounts.get(id)
  return account && toAccount(account)
}

const manyAtMost = 1000

export async function getManyAccounts(
  { accounts }: AccountsContext,
  ids: readonly string[],
): Promise<(Account | null)[]> {
  if (ids.length > manyAtMost) throw new TypeError(`"ids" may have ${manyAtMost} entries at most`)
  const asked = [...new Set(ids)]
  const found = asked.length === 0 ? [] : await readMany(accounts, asked)
  const byId = new Map(found.map((account) => [account?.id, account]))
  return ids.map((id) => {
    const account = byId.get(id)
    return account ? toAccount(account) : null
  })
}

async function readMany(accounts: AccountStore, ids: readonly string[]): Promise<readonly (StoredAccount | null)[]> {
  return accounts.getMany ? accounts.getMany(ids) : Promise.all(ids.map((id) => accounts.get(id)))
}

export async function findByEmail({ accounts }: AccountsContext, text: string): Promise<Account | null> {
  const email = canonicalEmail(text)
  const account = email === null ? null : await accounts.getByEmail(email)
  return account && toAccount(account)
}
