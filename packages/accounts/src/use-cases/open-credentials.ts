import type { AccountsContext } from '../context/accounts-context.ts'
import type { SignInResult } from '../contract/sign-in-result.ts'
import { invalidCredentials, type Rejection } from '../errors.ts'
import { type DeliveryRequest, issueCredentials } from '../sign-in/issue-credentials.ts'
import type { Refused, SignedIn } from '../sign-in/sign-in-states.ts'
import { type StoredAccount, toAccount } from '../store/account-store.ts'

/** The account that signed in, and the credentials to deliver. */
export type SignInSuccess = Extract<SignInResult, { readonly status: 'signed-in' }>

/** How a sign-in is delivered, and for how long it was under way. */
export interface OpeningRequest extends DeliveryRequest {
  readonly attempt: { readonly deviceToken: string | null }
  /** The token that the device presented, from an earlier sign-in. */
  readonly trustedDeviceToken?: string | null
  /** The account before this request set a new password, to recognize the device. Omitted: the password is unchanged. */
  readonly former?: StoredAccount
  readonly elapsed: () => number
}

/**
 * Opens the credentials and returns the answer: the last step of every kind of sign-in.
 *
 * @param remembered the token that identifies the device from now on.
 */
export async function openCredentials(
  context: AccountsContext,
  signedIn: SignedIn,
  { elapsed, former, ...request }: OpeningRequest,
  remembered: string | null = null,
): Promise<SignInSuccess | Rejection<'invalid-credentials'>> {
  const { account, attempt, byRememberedDevice = false } = signedIn
  const { id: accountId } = account
  const replaced = request.replaces?.key ?? null
  const said = { type: 'session.created', ...attempt, accountId, delivery: request.delivery, replaced } as const
  const creating = context.trail.plan(said)
  await creating.begin()
  const established = await issueCredentials(context, signedIn, request)
  if (typeof established === 'string') {
    await creating.failed()
    return refuseSignIn(context, { refused: established, accountId, attempt }, elapsed())
  }
  await creating.done({
    ...said,
    sessionKey: established.identity.key,
    durationMs: elapsed(),
    enrollmentDueAt: established.identity.enrollmentDueAt,
    factors: signedIn.factors.map(({ kind }) => kind),
    byRememberedDevice,
  })
  if (remembered !== null) {
    const sessionKey = established.identity.key
    context.emit({ type: 'device.remembered', ...attempt, accountId, sessionKey, durationMs: elapsed() })
  }
  notifyOfNewDevice(context, signedIn)
  const deviceToken = context.knownDevices?.issue(account, request.attempt.deviceToken, former) ?? null
  return {
    ok: true,
    status: 'signed-in',
    account: toAccount(account),
    ...established,
    deviceToken,
    trustedDeviceToken: remembered,
  }
}

/** A device that has shown a token of the account is known. Mails of this kind are counted: a script may know no token. */
function notifyOfNewDevice(
  { notifiesNewDevices, requestedMails, mailLinks, now }: AccountsContext,
  { account: { id: accountId, email: to }, attempt }: Pick<SignedIn, 'account' | 'attempt'>,
): void {
  if (!notifiesNewDevices || attempt.device !== null) return
  const data = { at: now(), devicesUrl: mailLinks.devices, resetUrl: mailLinks.requestPasswordReset }
  requestedMails.send({
    counted: 'new-device',
    purpose: 'new-device',
    accountId,
    to,
    attempt,
    write: async () => ({ kind: 'new-device', data }),
  })
}

export async function refuseSignIn(
  { trail }: AccountsContext,
  { refused: reason, ...of }: Refused,
  durationMs: number,
): Promise<Rejection<'invalid-credentials'>> {
  const { attempt, ...said } = of
  await trail.record({ type: 'sign-in.failed', ...attempt, ...said, durationMs, reason })
  return invalidCredentials
}

/** Returns the answer to a step-up. The password is unchanged, so the tokens of the device stay valid. */
export function answerStepUp(
  account: StoredAccount,
  renewed: Pick<SignInSuccess, 'credentials' | 'identity'>,
): SignInSuccess {
  return {
    ok: true,
    status: 'signed-in',
    account: toAccount(account),
    ...renewed,
    deviceToken: null,
    trustedDeviceToken: null,
  }
}
