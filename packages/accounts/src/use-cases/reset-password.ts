import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { Accounts } from '../contract/accounts.ts'
import { judgeAttempt } from '../devices/judge-attempt.ts'
import { refuseLink } from '../sign-in/refuse-link.ts'
import { beginReset } from '../sign-in/sign-in-states.ts'
import { isClosed, type StoredAccount, toAccount } from '../store/account-store.ts'
import { askSecondFactor } from './continue-sign-in.ts'
import { hashNewPassword } from './hash-new-password.ts'
import { setPassword } from './set-password.ts'

/**
 * An account with a second factor and no password presents the factor before it gets a password. An account is in this
 * state after an undone change of address, because the user who undid it has the mailbox, and perhaps nothing else of
 * the owner. The link stays usable until then.
 */
export async function resetPassword(
  context: AccountsContext,
  { token, newPassword, attempt: shown }: Parameters<Accounts['resetPassword']>[0],
): ReturnType<Accounts['resetPassword']> {
  const elapsed = startDuration()
  const { account, isValid, isUnknown } = await findTarget(context, token)
  const attempt = judgeAttempt(context, shown, account)
  const refuse = () => {
    const said = { accountId: account?.id ?? null, durationMs: elapsed() }
    return refuseLink(context, attempt, { ...said, purpose: 'reset-password', isUnknown })
  }
  if (!account || !isValid) return refuse()
  const names = [account.email, account.name]
  const passwordHash = await hashNewPassword(context, {
    password: newPassword,
    field: 'newPassword',
    names,
    // One link can be sent any number of times before the first of them has used it.
    lane: 'idle',
    address: attempt.address,
  })
  const pending = await beginReset(context, { account, attempt })
  // Without a factor that could be shown the link leads nowhere, until those who run the service have reset them.
  if (pending) return (await askSecondFactor(context, pending, passwordHash)) ?? refuse()
  const changed = await setPassword(context, { account, passwordHash, attempt, elapsed })
  if (!changed) return refuse()
  return {
    ok: true,
    status: 'password-set',
    account: toAccount(changed),
    deviceToken: context.knownDevices?.issue(changed, shown.deviceToken, account) ?? null,
  }
}

/** The account that a link was for, and whether it still is. */
interface Target {
  readonly account: StoredAccount | null
  readonly isValid: boolean
  readonly isUnknown: boolean
}

async function findTarget(context: AccountsContext, token: string): Promise<Target> {
  const link = await context.resets.read(token)
  const account = link && (await context.accounts.get(link.id))
  const isValid = account !== null && account.epoch === link?.epoch && !isClosed(account)
  return { account, isValid, isUnknown: link === null }
}
