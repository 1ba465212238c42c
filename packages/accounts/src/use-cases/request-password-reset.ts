import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { AccountsContext } from '../context/accounts-context.ts'
import { resetLetter } from '../mail/letters.ts'
import type { ResetTarget } from '../mail/reset-links.ts'
import { isClosed } from '../store/account-store.ts'
import { canonicalEmail } from '../store/canonical-email.ts'

/**
 * The answer is the same in every case, after the same work: where no account may have a password, a link is stored all
 * the same, for an account that does not exist, and its token is discarded. The owner of an address gets as many mails as
 * links may wait for it, however often others ask.
 */
export async function requestPasswordReset(context: AccountsContext, input: { readonly email: string }): Promise<true> {
  const { emit, resets, now } = context
  const email = canonicalEmail(input.email)
  const found = email === null ? null : await context.accounts.getByEmail(email)
  const account = found && isClosed(found) ? null : found
  const accountId = found?.id ?? null
  // A text that is not an address belongs to no account, which is not a secret.
  const url = email === null ? null : await resets.ask(email, account ?? decoyFor(email))
  emit({ type: 'password-reset-requested', accountId })
  if (email !== null && url === null) emit({ type: 'mail-withheld', purpose: 'reset-password', accountId })
  if (!account || url === null) return true
  const letter = resetLetter(url, now())
  context.mails.send({ purpose: 'reset-password', accountId: account.id, to: account.email, letter })
  return true
}

/** The same target for an address every time, so that its links are counted like those of an account. */
function decoyFor(email: string): ResetTarget {
  return { id: `acc_${encodeBase64url(sha256(`nobody ${email}`)).slice(0, 22)}`, epoch: 0 }
}
