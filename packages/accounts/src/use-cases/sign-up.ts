import type { AccountsContext } from '../context/accounts-context.ts'
import type { Accounts } from '../contract/accounts.ts'
import { judgeAttempt } from '../devices/judge-attempt.ts'
import { AccountsError } from '../errors.ts'
import { digestOfBrowser, keepBrowserSecret, type PendingAccount } from '../mail/pending-accounts.ts'
import type { RequestedMail } from '../mail/requested-mails.ts'
import { readPerson } from './create-account.ts'
import { hashNewPassword } from './hash-new-password.ts'

/**
 * The owner of the address learns by mail what happened; the caller gets the same answer in every case, after the same
 * work, and before anything is stored. An account is created with the proof of its address only, so a password that a
 * stranger sets beforehand is never the owner's.
 */
export async function signUp(
  context: AccountsContext,
  input: Parameters<Accounts['signUp']>[0],
): ReturnType<Accounts['signUp']> {
  const { email, name } = readInput(context, input)
  const { password } = input
  const passwordHash = await hashNewPassword(context, {
    password,
    field: 'password',
    names: [email, name],
    lane: 'idle',
    address: input.attempt.address,
  })
  const [taken, reserved] = await Promise.all([
    context.accounts.getByEmail(email),
    context.reservations?.find(email, context.now()) ?? null,
  ])
  const browserSecret = keepBrowserSecret(input.browserSecret)
  const attempt = judgeAttempt(context, input.attempt, taken)
  context.emit({ type: 'sign-up.requested', ...attempt, accountId: taken?.id ?? null })
  const asked = { email, name, passwordHash, browser: digestOfBrowser(browserSecret) }
  // An account that was never verified belongs to the person who proves the address now.
  const isTaken = taken !== null && taken.status !== 'unverified'
  const holder = isTaken ? taken.id : (reserved?.accountId ?? null)
  const letter = holder === null ? confirmingLetter(context, asked) : ownerLetter(context, holder, !isTaken)
  const mayAsk = await context.askingAddresses.take(attempt)
  context.requestedMails.send({ counted: 'sign-up', to: email, attempt, mayAsk, ...letter })
  return { accepted: true, browserSecret }
}

/** @throws AccountsError SIGN_UP_CLOSED, EMAIL_INVALID, NAME_INVALID. */
function readInput(
  { signUpRole }: AccountsContext,
  input: Parameters<Accounts['signUp']>[0],
): { readonly email: string; readonly name: string } {
  if (signUpRole === null) throw new AccountsError('SIGN_UP_CLOSED', 'sign-up is closed')
  return readPerson(input)
}

type AboutSignUp = Pick<RequestedMail, 'purpose' | 'accountId' | 'write'>

function ownerLetter({ mailLinks, now }: AccountsContext, accountId: string, isReserved: boolean): AboutSignUp {
  const { account: accountUrl, requestPasswordReset: resetUrl } = mailLinks
  const data = { at: now(), accountUrl, resetUrl, occasion: 'sign-up', isReserved } as const
  return {
    purpose: 'account-exists',
    accountId,
    write: async () => ({ kind: 'account-exists', data }),
  }
}

function confirmingLetter({ pendingAccounts, now }: AccountsContext, asked: PendingAccount): AboutSignUp {
  const at = now()
  return {
    purpose: 'verify-address',
    accountId: null,
    write: async (nth) => {
      const url = await pendingAccounts.add(asked)
      return { kind: nth > 1 ? 'contested-address' : 'verify-address', data: { url, at } }
    },
  }
}
