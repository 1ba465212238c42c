import type { Attempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { AccountsError } from '../../errors.ts'
import { type StoredAccount, toAccount } from '../../store/account-store.ts'

/** Whether an account can administer: it is open, and the application says that it is an administrator. */
export function isAdministrator({ administration }: AccountsContext, account: StoredAccount): boolean {
  return account.status === 'active' && administration?.isAdministrator(toAccount(account)) === true
}

/**
 * Whether the last administrator is kept. A command may close it, because the operator of the service can grant the
 * role to another account.
 */
export function keepsAdministrators({ administration }: AccountsContext, { channel }: Attempt): boolean {
  return administration !== null && channel !== 'command'
}

/**
 * Called with an administrator before the swap from its epoch that makes it none. Two administrators may remove each
 * other at the same moment: one of them is found to be the last.
 *
 * @throws AccountsError LAST_ADMINISTRATOR if no other account is an administrator.
 */
export async function claimRemoval(context: AccountsContext, account: StoredAccount): Promise<void> {
  await context.administration?.removals.claim(account, async () => {
    if (!(await hasAdministrator(context, account.id)))
      throw new AccountsError('LAST_ADMINISTRATOR', 'at least one administrator must remain')
  })
}

/** Roles decide who is an administrator, so two accounts with the same roles both count. */
async function hasAdministrator(context: AccountsContext, except: string): Promise<boolean> {
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
