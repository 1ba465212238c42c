import type { Impersonation } from '@latchkey/sessions'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { AccountsOptions } from '../context/accounts-options.ts'
import type { IdentityAccount } from '../store/account-store.ts'

/**
 * Returns whether a session or family is valid: it belongs to its owner, or to an administrator who is still signed in,
 * whose account has not changed since, and who may still act as this account. It is checked with every request.
 */
export async function isStillHeld(
  { impersonation: offered, opened }: Pick<AccountsContext, 'impersonation' | 'opened'>,
  account: IdentityAccount,
  impersonation: Impersonation | null,
): Promise<boolean> {
  if (impersonation === null) return true
  const { by, epoch, key } = impersonation
  if (offered === null) return false
  const holder = await opened.holder(by, key)
  if (holder === null) return false
  const { status, epoch: current } = holder.account
  return status === 'active' && current === epoch && isWithinReach(offered, holder.account, account)
}

/** Whether an administrator may act as an account, by the roles that both have now. */
export async function isWithinReach(
  { mayImpersonate }: Pick<Required<AccountsOptions>['impersonation'], 'mayImpersonate'>,
  administrator: Party,
  account: Party,
): Promise<boolean> {
  return (await mayImpersonate(administrator, account)) === true
}

type Party = Parameters<Required<AccountsOptions>['impersonation']['mayImpersonate']>[0]
