import { removeApiKeys } from '../api-keys/stored-api-keys.ts'
import type { JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { StoredAccount } from '../store/account-store.ts'
import { cleanUp, enablePassword } from './account-changes.ts'
import { mailRemovedLinks, removeLinks } from './remove-links.ts'

/** A password that is set by the link of a mail. */
export interface SettingPassword {
  /** As it was when the link was read. */
  readonly account: StoredAccount
  readonly passwordHash: string
  readonly attempt: JudgedAttempt
  readonly elapsed: () => number
}

/**
 * Hash and epoch are swapped in one step, then everything is revoked: a sign-in with the old password that is in
 * progress is either revoked here or sees the new epoch. The link is valid for the old epoch, so the swap consumes it:
 * a store that fails before the swap leaves the link usable, and a store that fails after it does not change the
 * answer.
 *
 * Links to providers and API keys give access as the password does, so they are removed with it: before the swap, so
 * that a failure leaves the link of the mail usable, and once more after it. The owner links them again. `null`: the
 * account has changed in the meantime, and stays unchanged.
 */
export async function setPassword(
  context: AccountsContext,
  { account, passwordHash, attempt, elapsed }: SettingPassword,
): Promise<StoredAccount | null> {
  const { id: accountId, email: to } = account
  const setting = context.trail.plan({ type: 'password.reset', ...attempt, accountId })
  await setting.begin()
  const issuers = await removeLinks(context, { accountId, attempt })
  await removeApiKeys(context.documents, accountId)
  const changed = await swapPassword(context, account, passwordHash)
  if (!changed) {
    await setting.failed()
    mailRemovedLinks(context, account, { attempt, issuers })
    return null
  }
  // One that was added before the swap; what is added from here on finds the account changed.
  const later = removeLinks(context, { accountId, attempt })
  await cleanUp(context, { accountId, attempt }, [
    context.sessions.revokeAll(accountId),
    removeApiKeys(context.documents, accountId),
    later,
    context.resets.endAll(to, account.epoch),
    // The new password counts from its first use.
    enablePassword(context, accountId),
  ])
  await setting.done({ type: 'password.reset', ...attempt, accountId, durationMs: elapsed() })
  const mail = {
    kind: 'password-changed',
    data: { at: context.now(), resetUrl: context.mailLinks.requestPasswordReset },
  } as const
  context.mails.send({ mail, accountId, attempt, to })
  mailRemovedLinks(context, changed, { attempt, issuers: [...issuers, ...(await later.catch(() => []))] })
  return changed
}

/** A user who follows the link has the mailbox, so an unverified address is verified. */
async function swapPassword(
  { accounts }: AccountsContext,
  account: StoredAccount,
  passwordHash: string,
): Promise<StoredAccount | null> {
  const { id, epoch, status } = account
  const change = { passwordHash, epoch: epoch + 1, keptKey: null, status: 'active' } as const
  return (await accounts.replace(id, { epoch, status }, change)) ? { ...account, ...change } : null
}
