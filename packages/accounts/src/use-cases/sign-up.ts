import type { AccountsContext } from '../context/accounts-context.ts'
import { AccountsError } from '../errors.ts'
import { addressTakenLetter, contestedLetter, verificationLetter } from '../mail/letters.ts'
import type { OutgoingMail } from '../mail/outgoing-mail.ts'
import type { WaitingSignUp } from '../mail/pending-accounts.ts'
import type { StoredAccount } from '../store/account-store.ts'
import { readPerson } from './create-account.ts'
import { hashNewPassword } from './hash-new-password.ts'

export interface SignUpInput {
  readonly email: string
  readonly password: string
  /** What the person is called, 1 to 100 characters. */
  readonly name: string
}

/**
 * The owner of the address learns by mail what happened; the caller gets the same answer in every case, after the same
 * work: what was asked for is stored for a taken address, too, and its token is discarded. An account is created with the
 * proof of its address only, so a password that a stranger sets beforehand is never the owner's.
 */
export async function signUp(context: AccountsContext, input: SignUpInput): Promise<{ readonly accepted: true }> {
  const { email, name } = readInput(context, input)
  const { password } = input
  const passwordHash = await hashNewPassword(context, { password, field: 'password', names: [email, name] })
  const taken = await context.accounts.getByEmail(email)
  const waiting = await context.pendingAccounts.add({ email, name, passwordHash })
  const accountId = taken?.id ?? null
  context.emit({ type: 'sign-up-requested', accountId })
  if (waiting) context.mails.send({ to: email, ...mailAbout(context, taken, waiting) })
  else context.emit({ type: 'mail-withheld', purpose: 'verify-email', accountId })
  return { accepted: true }
}

/** @throws AccountsError SIGN_UP_CLOSED, EMAIL_INVALID, NAME_INVALID. */
function readInput(
  { signUpRole }: AccountsContext,
  input: SignUpInput,
): { readonly email: string; readonly name: string } {
  if (signUpRole === null) throw new AccountsError('SIGN_UP_CLOSED', 'sign-up is closed')
  return readPerson(input)
}

function mailAbout(
  { home, now }: AccountsContext,
  taken: StoredAccount | null,
  { url, isContested }: WaitingSignUp,
): Omit<OutgoingMail, 'to'> {
  const at = now()
  // An account that was never verified belongs to the person who proves the address now.
  if (taken && taken.status !== 'unverified') {
    return { purpose: 'address-taken', accountId: taken.id, letter: addressTakenLetter(home, at) }
  }
  const letter = (isContested ? contestedLetter : verificationLetter)(url, at)
  return { purpose: 'verify-email', accountId: null, letter }
}
