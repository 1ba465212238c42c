import type { LinkPurpose } from '../../accounts-event.ts'
import type { PresentedAttempt } from '../../attempt.ts'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { judgeAttempt } from '../../devices/known-device.ts'
import { invalidLink, type Refusal } from '../../errors.ts'
import { isSameBrowser } from '../../mail/pending-accounts.ts'
import { findChange, isConfirmed } from './confirm-email-change.ts'
import { findUndo } from './undo-email-change.ts'

/** The link of a mail, before it is used. */
export interface CheckLinkInput {
  /** What `verifyEmail` takes, `resetPassword`, `confirmEmailChange`, or `undoEmailChange`. */
  readonly purpose: LinkPurpose
  readonly token: string
  /** For `verify-email`: what the browser got from `signUp`. */
  readonly browserSecret?: string | null
  /** Where it comes from. */
  readonly attempt: PresentedAttempt
}

/** The sign-up that waits behind a link, for a page that says what is about to be confirmed. */
export interface LinkedSignUp {
  readonly email: string
  /** The one who signed up chose it, who may be a stranger. */
  readonly name: string
  /** Whether the password counts without being repeated: the browser is the one that signed up. */
  readonly keepsPassword: boolean
}

/** The link is valid. */
export interface LinkValid {
  readonly ok: true
  /** `null` for every other purpose than `verify-email`. */
  readonly signUp: LinkedSignUp | null
  /** For `confirm-email-change`: the address that the account is about to get. */
  readonly newEmail?: string
  /** For `confirm-email-change`: whether the other address has to confirm as well, where it has not yet. */
  readonly needsBoth?: boolean
  /** For `undo-email-change`: the address that the account goes back to. */
  readonly formerEmail?: string
}

/** The verdict on a link that stays as it is. */
export type CheckLinkResult = LinkValid | Refusal<'link-invalid'>

/**
 * What is no token of this service costs no read. Of a sign-up or a reset the record of the link is read and no account; of a
 * change of address the account as well, because another change may have overtaken it.
 */
export async function checkLink(context: AccountsContext, input: CheckLinkInput): Promise<CheckLinkResult> {
  const valid = await readers[input.purpose](context, input)
  if (valid) return valid
  context.emit({ type: 'link.refused', ...judgeAttempt(context, input.attempt, null), purpose: input.purpose })
  return invalidLink
}

type ReadLink = (context: AccountsContext, input: CheckLinkInput) => Promise<LinkValid | null>

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
