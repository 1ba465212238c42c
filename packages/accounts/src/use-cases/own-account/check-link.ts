import type { LinkPurpose } from '../../accounts-event.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import { judgeAttempt } from '../../devices/judge-attempt.ts'
import { invalidLink } from '../../errors.ts'
import { isSameBrowser } from '../../mail/pending-accounts.ts'
import { findChange, isConfirmed } from './confirm-email-change.ts'
import { findUndo } from './undo-email-change.ts'

/** The sign-up of a link, for a page that shows it before the confirmation. */
export type LinkedSignUp = NonNullable<LinkValid['signUp']>

/** The link is valid. */
export type LinkValid = Extract<Awaited<ReturnType<Accounts['checkLink']>>, { readonly ok: true }>

/**
 * A malformed token costs no read. For a sign-up or a reset only the record of the link is read; for a change of
 * address also the account, because another change may have outdated the link.
 */
export async function checkLink(
  context: AccountsContext,
  input: Parameters<Accounts['checkLink']>[0],
): ReturnType<Accounts['checkLink']> {
  const valid = await readers[input.purpose](context, input)
  if (valid) return valid
  context.emit({ type: 'link.refused', ...judgeAttempt(context, input.attempt, null), purpose: input.purpose })
  return invalidLink
}

type ReadLink = (context: AccountsContext, input: Parameters<Accounts['checkLink']>[0]) => Promise<LinkValid | null>

const readers: Readonly<Record<LinkPurpose, ReadLink>> = {
  async 'verify-email'({ pendingAccounts }, { token, browserSecret }) {
    const pending = await pendingAccounts.read(token)
    if (!pending) return null
    const { email, name } = pending
    return { ok: true, signUp: { email, name, keepsPassword: isSameBrowser(pending, browserSecret) } }
  },
  async 'reset-password'({ resets }, { token }) {
    return (await resets.read(token)) ? { ok: true, signUp: null } : null
  },
  async 'confirm-email-change'(context, { token }) {
    const { change } = await findChange(context, token)
    if (!change || (await isConfirmed(context, change.link))) return null
    const { to: newEmail, needsBoth } = change.link
    const isOtherAwaited = needsBoth && !(await context.emailChanges.isApprovedByOther(change.link))
    return { ok: true, signUp: null, newEmail, needsBoth: isOtherAwaited }
  },
  async 'undo-email-change'(context, { token }) {
    const way = (await findUndo(context, token))?.way
    return way ? { ok: true, signUp: null, formerEmail: way.former.email } : null
  },
}
