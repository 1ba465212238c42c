import { startDuration } from '@latchkey/events'
import type { Device, Session } from '@latchkey/sessions'
import type { ShownAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { checkDelivery, type Delivery } from '../delivery.ts'
import { invalidCredentials, type Refusal } from '../errors.ts'
import type { AccountFacts } from '../sign-in/identity-facts.ts'
import { type IssuedCredentials, issueCredentials } from '../sign-in/issue-credentials.ts'
import { completeSignIn, provePassword, type Refused } from '../sign-in/sign-in-states.ts'
import { type Account, toAccount } from '../store/account-store.ts'
import { rehashInBackground } from './rehash.ts'

export interface SignInInput {
  readonly email: string
  readonly password: string
  readonly delivery: Delivery
  readonly device?: Device
  /**
   * For `session`: whether the cookie remains when the browser is closed.
   * @default true
   */
  readonly persistent?: boolean
  /** The session that the browser had until now: it ends, whatever the delivery. */
  readonly replaces?: Session | null
  /** Where it comes from. */
  readonly attempt: ShownAttempt
}

/** The account that signed in, and the credentials to deliver. */
export interface SignInSuccess {
  readonly ok: true
  readonly status: 'signed-in'
  readonly account: Account
  readonly credentials: IssuedCredentials
  readonly identity: AccountFacts
  /** By it the device is recognized after signing out; in a cookie, or in the body for native applications. */
  readonly deviceToken: string | null
}

/** The first factor was right, and the account has a second one: nothing is open yet. */
export interface SecondFactorRequired {
  readonly ok: true
  readonly status: 'second-factor-required'
  /** What `verifySecondFactor` or a passkey answers, within five minutes. It is a secret, and no credential. */
  readonly challenge: string
  /** The kinds that can answer: `totp`, `passkey`, `recovery-code`. */
  readonly factors: readonly string[]
}

/** The verdict on a sign-in. */
export type SignInResult = SignInSuccess | SecondFactorRequired | Refusal<'invalid-credentials'>

export async function signIn(context: AccountsContext, input: SignInInput): Promise<SignInResult> {
  const elapsed = startDuration()
  checkDelivery(input.delivery, context)
  const proven = await provePassword(context, input)
  if ('refused' in proven) return refuseSignIn(context, proven, elapsed())
  const { account, attempt } = proven
  const signedIn = await completeSignIn(context, proven)
  if ('refused' in signedIn) return refuseSignIn(context, signedIn, elapsed())
  const established = await issueCredentials(context, signedIn, input)
  if (typeof established === 'string') {
    return refuseSignIn(context, { refused: established, accountId: account.id, attempt }, elapsed())
  }
  if (proven.needsRehash) rehashInBackground(context, account, { password: input.password, attempt })
  context.emit({
    type: 'session.created',
    ...attempt,
    accountId: account.id,
    sessionKey: established.identity.key,
    durationMs: elapsed(),
    delivery: input.delivery,
    replaced: input.replaces?.key ?? null,
  })
  const deviceToken = context.deviceTokens?.issue(account, input.attempt.deviceToken) ?? null
  return { ok: true, status: 'signed-in', account: toAccount(account), ...established, deviceToken }
}

function refuseSignIn(
  { emit }: AccountsContext,
  { refused, accountId, attempt }: Refused,
  durationMs: number,
): Refusal<'invalid-credentials'> {
  emit({ type: 'sign-in.failed', ...attempt, accountId, durationMs, reason: refused })
  return invalidCredentials
}
