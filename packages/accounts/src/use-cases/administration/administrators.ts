import type { Attempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { AccountsError } from '../../errors.ts'
import { type StoredAccount, toAccount } from '../../store/account-store.ts'

/** Whether an account can administer: it is open, and the application says that it is an administrator. */
export function isAdministrator({ administration }: AccountsContext, account: StoredAccount): boolean {
  return account.status === 'active' && administration?.isAdministrator(toAccount(account)) === true
}

/** Whether the last administrator is kept: who operates the service grants the role to another one by a command. */
export function keepsAdministrators({ administration }: AccountsContext, { channel }: Attempt): boolean {
  return administration !== null && channel !== 'command'
}

/** @throws AccountsError LAST_ADMINISTRATOR where no other account is one. */
export async function checkAdministratorLeft(context: AccountsContext, except: string | null): Promise<void> {
  if (!(await hasAdministrator(context, except)))
    throw new AccountsError('LAST_ADMINISTRATOR', 'at least one administrator must remain')
}

/** Roles decide who is one: of two that have the same, one is not the account that is left out. */
async function hasAdministrator(context: AccountsContext, except: string | null): Promise<boolean> {
  const { accounts } = context
  const isOther = (account: StoredAccount): boolean => account.id !== except && isAdministrator(context, account)
  if (accounts.listRoleHolders) return (await accounts.listRoleHolders()).some(isOther)
  for (let cursor: string | undefined, isMore = true; isMore; isMore = cursor !== undefined) {
    const page = await accounts.list(cursor === undefined ? {} : { cursor })
    if (page.items.some(isOther)) return true
    cursor = page.cursor
  }
  return false
}
