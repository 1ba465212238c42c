import type { AccountsContext } from '../accounts-context.ts'
import { AccountsError } from '../errors.ts'
import { canonicalEmail } from '../store/canonical-email.ts'
import { canonicalName } from '../store/canonical-name.ts'
import { hashNewPassword } from './hash-new-password.ts'
import { addressTakenLetter, contestedLetter, type Mail, sendAfterwards, verificationLetter } from './mails.ts'

/** What somebody gives who wants an account. */
export interface SignUpInput {
  readonly email: string
  readonly password: string
  readonly name: string
}

/**
 * Whoever has the address is told by mail; whoever asks is told the same in every case, after the same work: what was
 * asked for is stored for a taken address, too, and its token is thrown away. An account comes into being with the proof
 * of its address only, so nobody can set a password on an address beforehand and wait for its owner.
 */
export async function signUp(context: AccountsContext, input: SignUpInput): Promise<{ readonly accepted: true }> {
  if (context.signUpRole === null) throw new AccountsError('SIGN_UP_CLOSED', 'nobody can sign up here')
  const email = canonicalEmail(input.email)
  if (email === null) throw new AccountsError('EMAIL_INVALID', 'an e-mail address is required', { field: 'email' })
  const name = canonicalName(input.name)
  if (name === null) throw new AccountsError('NAME_INVALID', 'a name has 1 to 100 characters', { field: 'name' })
  const { password } = input
  const passwordHash = await hashNewPassword(context, { password, field: 'password', names: [email, name] })
  const taken = await context.accounts.getByEmail(email)
  const pending = await context.pendingAccounts.add({ email, name, passwordHash })
  const accountId = taken?.id ?? null
  context.emit({ type: 'sign-up-requested', accountId })
  if (!pending) {
    context.emit({ type: 'mail-withheld', purpose: 'verify-email', accountId })
    return { accepted: true }
  }
  const { url, isContested } = pending
  const at = context.now()
  // An account that was never proven belongs to whoever proves the address now.
  const isTaken = taken !== null && taken.status !== 'unverified'
  const mail: Omit<Mail, 'to'> = isTaken
    ? { purpose: 'address-taken', accountId: taken.id, letter: addressTakenLetter(context.home, at) }
    : {
        purpose: 'verify-email',
        accountId: null,
        letter: (isContested ? contestedLetter : verificationLetter)(url, at),
      }
  sendAfterwards(context, { to: email, ...mail })
  return { accepted: true }
}
