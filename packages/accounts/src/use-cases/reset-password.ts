import { startDuration } from '@latchkey/events'
import type { Attempt, ShownAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { judgeAttempt } from '../devices/known-device.ts'
import { invalidLink, type Refusal } from '../errors.ts'
import { type Account, isClosed, type StoredAccount, toAccount } from '../store/account-store.ts'
import { cleanUp, enablePassword } from './account-changes.ts'
import { hashNewPassword } from './hash-new-password.ts'

/** The token of the mail, and the new password. */
export interface ResetPasswordInput {
  readonly token: string
  readonly newPassword: string
  /** Where it comes from. */
  readonly attempt: ShownAttempt
}

/** The new password is set, and everything that was open has ended. */
export interface PasswordReset {
  readonly ok: true
  readonly account: Account
  /** By it the device is recognized: who follows the link has the mailbox. */
  readonly deviceToken: string | null
}

/** The verdict on the link of a reset. */
export type ResetPasswordResult = PasswordReset | Refusal<'link-invalid'>

/**
 * Hash and epoch are swapped in one step, then everything is revoked: a sign-in with the old password that is under way
 * either is revoked here or sees the new epoch. The link is valid for the old epoch, so the swap is what consumes it: a
 * store that fails before the swap leaves the link usable, and one that fails after it changes no answer.
 */
export async function resetPassword(
  context: AccountsContext,
  { token, newPassword, attempt: shown }: ResetPasswordInput,
): Promise<ResetPasswordResult> {
  const elapsed = startDuration()
  const { account, isValid } = await findTarget(context, token)
  const attempt = judgeAttempt(context, shown, account)
  if (!account || !isValid)
    return refuseLink(context, { ...attempt, accountId: account?.id ?? null, durationMs: elapsed() })
  const names = [account.email, account.name]
  const passwordHash = await hashNewPassword(context, {
    password: newPassword,
    field: 'newPassword',
    names,
    // One link can be sent any number of times before the first of them has used it.
    lane: 'idle',
  })
  const resetting = context.trail.plan({ type: 'password.reset', ...attempt, accountId: account.id })
  await resetting.begin()
  const changed = await setPassword(context, account, passwordHash)
  if (!changed) {
    await resetting.failed()
    return refuseLink(context, { ...attempt, accountId: account.id, durationMs: elapsed() })
  }
  const { id: accountId, email: to } = changed
  await cleanUp(context, { accountId, attempt }, [
    context.sessions.revokeAll(accountId),
    context.resets.endAll(to, account.epoch),
    // The new password counts from its first use.
    enablePassword(context, accountId),
  ])
  await resetting.done({ type: 'password.reset', ...attempt, accountId, durationMs: elapsed() })
  const mail = { kind: 'password-changed', data: { home: context.home } } as const
  context.mails.send({ mail, accountId, attempt, to })
  return {
    ok: true,
    account: toAccount(changed),
    deviceToken: context.deviceTokens?.issue(changed, shown.deviceToken, account) ?? null,
  }
}

/** The account that a link was for, and whether it still is. */
interface Target {
  readonly account: StoredAccount | null
  readonly isValid: boolean
}

async function findTarget(context: AccountsContext, token: string): Promise<Target> {
  const link = await context.resets.read(token)
  const account = link && (await context.accounts.get(link.id))
  return { account, isValid: account !== null && account.epoch === link?.epoch && !isClosed(account) }
}

/** Who follows the link has the mailbox: an address that was never verified is verified by it. */
async function setPassword(
  { accounts }: AccountsContext,
  account: StoredAccount,
  passwordHash: string,
): Promise<StoredAccount | null> {
  const { id, epoch, status } = account
  const change = { passwordHash, epoch: epoch + 1, keptKey: null, status: 'active' } as const
  return (await accounts.replace(id, { epoch, status }, change)) ? { ...account, ...change } : null
}

function refuseLink(
  { emit }: AccountsContext,
  said: Attempt & { readonly accountId: string | null; readonly durationMs: number },
): Refusal<'link-invalid'> {
  emit({ type: 'link.refused', ...said, purpose: 'reset-password' })
  return invalidLink
}
