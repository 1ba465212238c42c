import type { AccountsContext } from '../context/accounts-context.ts'
import { invalidCredentials, type Refusal } from '../errors.ts'
import type { AccountFacts } from '../sign-in/identity-facts.ts'
import { type DeliveryRequest, type IssuedCredentials, issueCredentials } from '../sign-in/issue-credentials.ts'
import type { Refused, SignedIn } from '../sign-in/sign-in-states.ts'
import { type Account, toAccount } from '../store/account-store.ts'

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

/** How a sign-in is delivered, and for how long it was under way. */
export interface OpeningRequest extends DeliveryRequest {
  readonly attempt: { readonly deviceToken: string | null }
  readonly elapsed: () => number
}

/** Signed in → the answer: what every way of signing in ends with. */
export async function openCredentials(
  context: AccountsContext,
  signedIn: SignedIn,
  { elapsed, ...request }: OpeningRequest,
): Promise<SignInSuccess | Refusal<'invalid-credentials'>> {
  const { account, attempt } = signedIn
  const established = await issueCredentials(context, signedIn, request)
  if (typeof established === 'string') {
    return refuseSignIn(context, { refused: established, accountId: account.id, attempt }, elapsed())
  }
  context.emit({
    type: 'session.created',
    ...attempt,
    accountId: account.id,
    sessionKey: established.identity.key,
    durationMs: elapsed(),
    delivery: request.delivery,
    replaced: request.replaces?.key ?? null,
    enrollmentDueAt: established.identity.enrollmentDueAt,
  })
  const deviceToken = context.deviceTokens?.issue(account, request.attempt.deviceToken) ?? null
  return { ok: true, status: 'signed-in', account: toAccount(account), ...established, deviceToken }
}

export function refuseSignIn(
  { emit }: AccountsContext,
  { refused, accountId, attempt }: Refused,
  durationMs: number,
): Refusal<'invalid-credentials'> {
  emit({ type: 'sign-in.failed', ...attempt, accountId, durationMs, reason: refused })
  return invalidCredentials
}
