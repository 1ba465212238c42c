import type { Attempt, ShownAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { channels, checkDelivery } from '../delivery.ts'
import { invalidCredentials, type Refusal } from '../errors.ts'
import { renewCredentials, type SignedInIdentity } from '../sign-in/renew-credentials.ts'
import { provePasswordAgain } from '../sign-in/sign-in-states.ts'
import { toAccount } from '../store/account-store.ts'
import { rehashInBackground } from './rehash.ts'
import type { SignInSuccess } from './sign-in.ts'

export interface ConfirmPasswordInput {
  /** The identity of the request. */
  readonly identity: SignedInIdentity
  readonly currentPassword: string
  /**
   * `false`: a family whose refresh token travels in the body is not renewed, because a script of a page would get it.
   * @default true
   */
  readonly allowsNative?: boolean
  /** Where it comes from. */
  readonly attempt: ShownAttempt
}

/** The verdict on the password. */
export type ConfirmPasswordResult = SignInSuccess | Refusal<'invalid-credentials'>

export async function confirmPassword(
  context: AccountsContext,
  { identity, currentPassword, allowsNative = true, attempt: shown }: ConfirmPasswordInput,
): Promise<ConfirmPasswordResult> {
  const { subject } = identity
  if (!allowsNative) await refuseNative(context, identity)
  const proven = await provePasswordAgain(context, { subject, password: currentPassword, attempt: shown })
  const { attempt } = proven
  if ('refused' in proven) return refuse(context, { accountId: subject, reason: proven.refused, attempt })
  const { account, needsRehash } = proven
  const renewed = await renewCredentials(context, proven, identity)
  if (typeof renewed === 'string') return refuse(context, { accountId: subject, reason: renewed, attempt })
  if (needsRehash) rehashInBackground(context, account, currentPassword)
  context.emit({ type: 'password-confirmed', accountId: subject, key: renewed.identity.key })
  // The password is the same: what the device is known by goes on.
  return { ok: true, status: 'signed-in', account: toAccount(account), ...renewed, deviceToken: null }
}

function refuse(
  { emit }: AccountsContext,
  refused: { readonly accountId: string; readonly reason: string; readonly attempt: Attempt },
): Refusal<'invalid-credentials'> {
  emit({ type: 'password-confirmation-refused', ...refused })
  return invalidCredentials
}

/** @throws AccountsError DELIVERY_REFUSED, before the password is looked at. */
async function refuseNative({ refreshTokens }: AccountsContext, { key = null, via }: SignedInIdentity): Promise<void> {
  const family = via === 'bearer' && key !== null ? await refreshTokens.read(key) : null
  if (family) checkDelivery(family.channel === channels.native ? 'native' : 'token', { allowsNative: false })
}
