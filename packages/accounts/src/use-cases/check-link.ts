import type { LinkPurpose } from '../accounts-event.ts'
import type { ShownAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { judgeAttempt } from '../devices/known-device.ts'
import { invalidLink, type Refusal } from '../errors.ts'
import { isSameBrowser } from '../mail/pending-accounts.ts'

/** The link of a mail, before it is used. */
export interface CheckLinkInput {
  /** What `verifyEmail` takes, `resetPassword`, `confirmEmailChange`, or `undoEmailChange`. */
  readonly purpose: LinkPurpose
  readonly token: string
  /** For `verify-email`: what the browser got from `signUp`. */
  readonly browserSecret?: string | null
  /** Where it comes from. */
  readonly attempt: ShownAttempt
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
}

/** The verdict on a link that stays as it is. */
export type CheckLinkResult = LinkValid | Refusal<'link-invalid'>

/** Reads the record of the link and no account. What is no token of this service costs no read. */
export async function checkLink(
  context: AccountsContext,
  { purpose, token, browserSecret, attempt }: CheckLinkInput,
): Promise<CheckLinkResult> {
  const { pendingAccounts, resets, emailChanges } = context
  const refuse = (): Refusal<'link-invalid'> => {
    context.emit({ type: 'link.refused', ...judgeAttempt(context, attempt, null), purpose })
    return invalidLink
  }
  if (purpose === 'reset-password') return (await resets.read(token)) ? { ok: true, signUp: null } : refuse()
  if (purpose === 'undo-email-change')
    return (await emailChanges.readUndo(token)) ? { ok: true, signUp: null } : refuse()
  if (purpose === 'confirm-email-change') {
    const change = await emailChanges.readConfirm(token)
    return change ? { ok: true, signUp: null, newEmail: change.to } : refuse()
  }
  const pending = await pendingAccounts.read(token)
  if (!pending) return refuse()
  const { email, name } = pending
  return { ok: true, signUp: { email, name, keepsPassword: isSameBrowser(pending, browserSecret) } }
}
