import type { FactorProof } from '@latchkey/store'
import type { SignInRefusal } from '../accounts-event.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { StoredAccount } from '../store/account-store.ts'
import { canonicalEmail } from '../store/canonical-email.ts'

// The stages of a sign-in: anonymous → first factor proven → signed in. Each is a type that only this file creates, and
// credentials are issued for the last one only, so no way of signing in can skip a stage. A first factor, today the
// password, ends in `FirstFactorProven`; what an account requires beyond it is checked in `completeSignIn`, the only
// function that returns `SignedIn`.

declare const stage: unique symbol

/** The first factor of an active account was shown. No credential of any kind exists yet. */
export interface FirstFactorProven {
  readonly [stage]: 'first-factor-proven'
  readonly account: StoredAccount
  readonly factors: readonly FactorProof[]
}

/** The first factor was the password. `needsRehash`: its hash has other parameters than a new one would have. */
export interface PasswordProven extends FirstFactorProven {
  readonly needsRehash: boolean
}

/** Every factor that the account requires was shown: credentials may be issued. */
export interface SignedIn {
  readonly [stage]: 'signed-in'
  readonly account: StoredAccount
  readonly factors: readonly FactorProof[]
}

/** The attempt ends here; the reason is for the event. */
export interface Refused {
  readonly refused: SignInRefusal
  readonly accountId: string | null
}

export interface PasswordAttempt {
  readonly email: string
  readonly password: string
}

/**
 * Anonymous → first factor proven, with a password. It computes exactly one hash for every input, and reads the status of
 * the account after it, so that no answer is faster than another.
 */
export async function provePassword(
  { accounts, passwords, now }: AccountsContext,
  { email, password }: PasswordAttempt,
): Promise<PasswordProven | Refused> {
  const address = canonicalEmail(email)
  const account = address === null ? null : await accounts.getByEmail(address)
  const { ok, needsRehash } = await passwords.verify(password, account?.passwordHash ?? null)
  const refused = judge(account, ok)
  if (refused || !account) return { refused: refused ?? 'unknown-account', accountId: account?.id ?? null }
  const factors: readonly FactorProof[] = [{ kind: 'password', at: now(), category: 'know' }]
  return { account, factors, needsRehash } as PasswordProven
}

function judge(account: StoredAccount | null, ok: boolean): SignInRefusal | null {
  if (account === null) return 'unknown-account'
  if (account.passwordHash === null) return 'no-password'
  if (!ok) return 'wrong-password'
  return account.status === 'active' ? null : account.status
}

/** First factor proven → signed in: the one place where further factors of an account are required. */
export function completeSignIn({ account, factors }: FirstFactorProven): SignedIn {
  return { account, factors } as SignedIn
}
