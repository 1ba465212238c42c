import type { JudgedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { AccountsError } from '../../errors.ts'
import {
  type Account,
  type AccountChange,
  checkRoles,
  type StoredAccount,
  toAccount,
} from '../../store/account-store.ts'
import type { AuditedEvent } from '../../trail/audited-kinds.ts'
import type { Audited } from '../../trail/create-audit-recorder.ts'
import { endApiKeys, endStale, raiseEpoch } from '../account-changes.ts'
import { getAccount } from '../look-up.ts'
import { claimRemoval, isAdministrator, keepsAdministrators } from './administrators.ts'

/** The account that an administrator changes. */
export type AdministrationInput = Parameters<Accounts['disable']>[0]

type Administered = Pick<AccountChange, 'roles' | 'status'>

interface Administration {
  /** Returns the change, or `null` if the account needs none. */
  readonly decide: (account: StoredAccount) => Administered | null
  readonly decision: (said: JudgedAttempt & { readonly accountId: string }) => Audited<AuditedEvent>
  /** Whether it closes the account. */
  readonly closes?: boolean
  /**
   * Whether it opens a closed account. A closing that has failed after its swap may have left API keys, and the repeated
   * closing has found nothing to change: they are removed while the account is still closed.
   */
  readonly opens?: boolean
  /** Called with the changed account. */
  readonly afterwards?: (account: StoredAccount, attempt: JudgedAttempt) => void
}

export async function setRoles(
  context: AccountsContext,
  { roles, ...of }: Parameters<Accounts['setRoles']>[0],
): Promise<Account | null> {
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
    closes: true,
  })
}

export async function enable(context: AccountsContext, of: AdministrationInput): Promise<Account | null> {
  return administer(context, of, {
    decide: ({ status }) => (status === 'disabled' ? { status: 'active' } : null),
    decision: (said) => ({ type: 'account.enabled', ...said }),
    opens: true,
  })
}

/** Only an active account is locked: one that was never verified would be verified by being unlocked. */
export async function lockAccount(context: AccountsContext, of: AdministrationInput): Promise<Account | null> {
  const { mails, mailLinks, now } = context
  return administer(context, of, {
    decide: ({ status }) => (status === 'active' ? { status: 'locked' } : null),
    decision: (said) => ({ type: 'account.locked', ...said }),
    closes: true,
    afterwards: ({ id: accountId, email: to }, attempt) =>
      mails.send({
        mail: {
          kind: 'account-locked',
          data: { at: now(), resetUrl: mailLinks.requestPasswordReset, reason: 'administrator' },
        },
        accountId,
        attempt,
        to,
      }),
  })
}

export async function unlockAccount(context: AccountsContext, of: AdministrationInput): Promise<Account | null> {
  return administer(context, of, {
    decide: ({ status }) => (status === 'locked' ? { status: 'active' } : null),
    decision: (said) => ({ type: 'account.unlocked', ...said }),
    opens: true,
  })
}

export async function endSessions(
  context: AccountsContext,
  { id: accountId, actorId = null, attempt: shown }: AdministrationInput,
): Promise<number> {
  const attempt = judgeAttempt(context, shown, null)
  const said = { type: 'sessions.ended', ...attempt, accountId, sessionKey: null, actorId } as const
  const ending = context.trail.plan(said)
  const raised = await raiseEpoch(context, accountId, { decide: () => ({}), keptKey: null, before: ending.begin })
  if (!raised) {
    await ending.failed()
    return 0
  }
  await ending.done({ ...said, count: raised.ended })
  return raised.ended
}

/** Returns the account after the change, whether or not it was needed; `null` if the account does not exist. */
async function administer(
  context: AccountsContext,
  { id, actorId = null, attempt: shown }: AdministrationInput,
  { decide, decision, closes = false, opens = false, afterwards }: Administration,
): Promise<Account | null> {
  if (closes && actorId === id)
    throw new AccountsError('CANNOT_CHANGE_OWN_ACCOUNT', 'administrators cannot close their own account')
  // The device is that of the administrator, whose account this is not.
  const attempt = judgeAttempt(context, shown, null)
  const said = { ...decision({ ...attempt, accountId: id }), actorId }
  const changing = context.trail.plan(said)
  const keeping = keepsAdministrators(context, shown)
  const was: { administrator?: StoredAccount } = {}
  const judged = (account: StoredAccount): Administered | null => {
    const change = decide(account)
    delete was.administrator
    if (change && keeping && isAdministrator(context, account) && !isAdministrator(context, { ...account, ...change }))
      was.administrator = account
    return change
  }
  const before = async (): Promise<void> => {
    if (was.administrator) await claimRemoval(context, was.administrator)
    await changing.begin()
    if (opens) await endApiKeys(context, id)
  }
  const changed = await raiseEpoch(context, id, { decide: judged, keptKey: null, keepsApiKeys: !closes, before })
  if (!changed) {
    await changing.failed()
    await endStale(context, id)
    return getAccount(context, id)
  }
  await changing.done(said)
  afterwards?.(changed.account, attempt)
  return toAccount(changed.account)
}
