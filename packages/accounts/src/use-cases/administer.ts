import type { Attempt, ShownAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { judgeAttempt } from '../devices/known-device.ts'
import { type Account, checkRoles, type StoredAccount, toAccount } from '../store/account-store.ts'
import { canonicalEmail } from '../store/canonical-email.ts'
import type { AuditedEvent } from '../trail/audited-kinds.ts'
import type { Audited } from '../trail/create-trail.ts'
import { type RaisingChange, raiseEpoch } from './account-changes.ts'

/** The account that an administrator changes. */
export interface AdministrationInput {
  readonly id: string
  /** The account of the administrator, for the audit. Omitted: not known, or a command. */
  readonly actorId?: string | null
  /** Where it comes from. */
  readonly attempt: ShownAttempt
}

/** The roles that an administrator gives an account. */
export interface SetRolesInput extends AdministrationInput {
  readonly roles: readonly string[]
}

interface Administration extends Pick<RaisingChange, 'decide'> {
  readonly decision: (said: Attempt & { readonly accountId: string }) => Audited<AuditedEvent>
}

export async function setRoles(context: AccountsContext, { roles, ...of }: SetRolesInput): Promise<Account | null> {
  checkRoles(roles, 'roles')
  const next = [...new Set(roles)]
  const isSame = (account: StoredAccount): boolean => account.roles.join(' ') === next.join(' ')
  return administer(context, of, {
    decide: (account) => (isSame(account) ? null : { roles: next }),
    decision: (said) => ({ type: 'role.changed', ...said, roles: next }),
  })
}

export async function disable(context: AccountsContext, of: AdministrationInput): Promise<Account | null> {
  return administer(context, of, {
    decide: ({ status }) => (status === 'disabled' ? null : { status: 'disabled' }),
    decision: (said) => ({ type: 'account.disabled', ...said }),
  })
}

export async function enable(context: AccountsContext, of: AdministrationInput): Promise<Account | null> {
  return administer(context, of, {
    decide: ({ status }) => (status === 'disabled' ? { status: 'active' } : null),
    decision: (said) => ({ type: 'account.enabled', ...said }),
  })
}

/** Returns the account as it is afterwards, whether or not anything changed; `null` if it does not exist. */
async function administer(
  context: AccountsContext,
  { id, actorId = null, attempt }: AdministrationInput,
  { decide, decision }: Administration,
): Promise<Account | null> {
  // The device is that of the administrator, whose account this is not.
  const said = { ...decision({ ...judgeAttempt(context, attempt, null), accountId: id }), actorId }
  const changing = context.trail.plan(said)
  const changed = await raiseEpoch(context, id, { decide, keptKey: null, before: changing.begin })
  if (!changed) {
    await changing.failed()
    return getAccount(context, id)
  }
  await changing.done(said)
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
