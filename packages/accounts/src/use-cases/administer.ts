import type { AccountsDecision } from '../accounts-event.ts'
import type { ShownAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { type Account, checkRoles, type StoredAccount, toAccount } from '../store/account-store.ts'
import { canonicalEmail } from '../store/canonical-email.ts'
import { type RaisingChange, raiseEpoch } from './account-changes.ts'

/** The account that an administrator changes. */
export interface AdministrationInput {
  readonly id: string
  /** Where it comes from. */
  readonly attempt: ShownAttempt
}

/** The roles that an administrator gives an account. */
export interface SetRolesInput extends AdministrationInput {
  readonly roles: readonly string[]
}

interface Administration extends Pick<RaisingChange, 'decide'> {
  readonly decision: AccountsDecision
}

export async function setRoles(context: AccountsContext, { id, roles }: SetRolesInput): Promise<Account | null> {
  checkRoles(roles, 'roles')
  const next = [...new Set(roles)]
  const isSame = (account: StoredAccount): boolean => account.roles.join(' ') === next.join(' ')
  return administer(context, id, {
    decide: (account) => (isSame(account) ? null : { roles: next }),
    decision: { type: 'roles-changed', accountId: id, roles: next },
  })
}

export async function disable(context: AccountsContext, { id }: AdministrationInput): Promise<Account | null> {
  return administer(context, id, {
    decide: ({ status }) => (status === 'disabled' ? null : { status: 'disabled' }),
    decision: { type: 'account-disabled', accountId: id },
  })
}

export async function enable(context: AccountsContext, { id }: AdministrationInput): Promise<Account | null> {
  return administer(context, id, {
    decide: ({ status }) => (status === 'disabled' ? { status: 'active' } : null),
    decision: { type: 'account-enabled', accountId: id },
  })
}

/** Returns the account as it is afterwards, whether or not anything changed; `null` if it does not exist. */
async function administer(
  context: AccountsContext,
  id: string,
  { decide, decision }: Administration,
): Promise<Account | null> {
  const changed = await raiseEpoch(context, id, { decide, keptKey: null })
  if (!changed) return getAccount(context, id)
  context.emit(decision)
  return toAccount(changed.account)
}

export async function getAccount({ accounts }: AccountsContext, id: string): Promise<Account | null> {
  const account = await accounts.get(id)
  return account && toAccount(account)
}

export async function findByEmail({ accounts }: AccountsContext, text: string): Promise<Account | null> {
  const email = canonicalEmail(text)
  const account = email === null ? null : await accounts.getByEmail(email)
  return account && toAccount(account)
}
