import type { FactorProof } from '@latchkey/store'
import type { SignInRefusal } from '../accounts-event.ts'
import type { Attempt, ShownAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { judgeAttempt } from '../devices/known-device.ts'
import type { StoredAccount } from '../store/account-store.ts'
import { canonicalEmail } from '../store/canonical-email.ts'
import { type SignInState, takeStep } from './sign-in-transitions.ts'

// The states of `signInTransitions` as types that only this file creates, each where the table says that it is reached.
// Credentials are issued for `SignedIn` and renewed for `SteppedUp` only, so no way of signing in can skip a state.

declare const state: unique symbol

interface Reached<State extends SignInState> {
  readonly [state]: State
  readonly account: StoredAccount
  readonly factors: readonly FactorProof[]
  /** Where the proof came from. */
  readonly attempt: Attempt
}

/** The first factor of an active account was shown. No credential of any kind exists yet. */
export type FirstFactorProven = Reached<'first-factor-proven'>

/** `needsRehash`: the hash of the password has other parameters than a new one would have. */
export type PasswordProven = FirstFactorProven & { readonly needsRehash: boolean }

/** Every factor that the account requires was shown: credentials may be issued. */
export type SignedIn = Reached<'signed-in'>

/** Who is signed in has shown the first factor again: the credential may be renewed. */
export type SteppedUp = Reached<'stepped-up'> & { readonly needsRehash: boolean }

/** The attempt ends here; the reason is for the event. */
export interface Refused {
  readonly refused: SignInRefusal
  readonly accountId: string | null
  readonly attempt: Attempt
}

/** A password that is tested, and where it comes from: here, and nowhere else, passwords are guessed. */
interface ShownPassword {
  readonly password: string
  readonly attempt: ShownAttempt
}

export interface PasswordAttempt extends ShownPassword {
  readonly email: string
}

/** Anonymous → first factor proven, with a password. */
export async function provePassword(
  context: AccountsContext,
  { email, ...shown }: PasswordAttempt,
): Promise<PasswordProven | Refused> {
  const address = canonicalEmail(email)
  const account = address === null ? null : await context.accounts.getByEmail(address)
  return testPassword<PasswordProven>(context, 'anonymous', { account, ...shown })
}

/** Signed in → stepped up, with the password of the account. */
export async function provePasswordAgain(
  context: AccountsContext,
  { subject, ...shown }: ShownPassword & { readonly subject: string },
): Promise<SteppedUp | Refused> {
  const account = await context.accounts.get(subject)
  return testPassword<SteppedUp>(context, 'signed-in', { account, ...shown })
}

/**
 * Computes exactly one hash for every input, and looks at the status of the account after it, so that no answer is faster
 * than another.
 */
async function testPassword<Proven extends PasswordProven | SteppedUp>(
  context: AccountsContext,
  from: SignInState,
  { account, password, attempt: shown }: ShownPassword & { readonly account: StoredAccount | null },
): Promise<Proven | Refused> {
  const { passwords, now } = context
  const attempt = judgeAttempt(context, shown, account)
  const { ok, needsRehash } = await passwords.verify(password, account?.passwordHash ?? null)
  const { to, when } = takeStep(from, 'password', { account, isPasswordRight: ok, factors: [], enrolled: [] })
  if (to === 'refused') return { refused: when as SignInRefusal, accountId: account?.id ?? null, attempt }
  const factors: readonly FactorProof[] = [{ kind: 'password', at: now(), category: 'know' }]
  return { account, factors, attempt, needsRehash } as Proven
}

/** First factor proven → signed in: the one place where further factors of an account are required. */
export async function completeSignIn(
  context: AccountsContext,
  { account, factors, attempt }: FirstFactorProven,
): Promise<SignedIn | Refused> {
  const enrolled = await enrolledKinds(context, account)
  const { to } = takeStep('first-factor-proven', 'requirements', { account, isPasswordRight: true, factors, enrolled })
  if (to === 'signed-in') return { account, factors, attempt } as SignedIn
  return { refused: 'second-factor-required', accountId: account.id, attempt }
}

/** The account names at least every kind that is in force; a store of factors may know better. */
async function enrolledKinds(_context: AccountsContext, { enrolled }: StoredAccount): Promise<readonly string[]> {
  return enrolled
}
