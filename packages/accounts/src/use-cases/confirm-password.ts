import { startDuration } from '@latchkey/core/internal'
import type { PresentedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { invalidCredentials, type Refusal } from '../errors.ts'
import { refuseNative, renewCredentials } from '../sign-in/renew-credentials.ts'
import { provePasswordAgain } from '../sign-in/sign-in-states.ts'
import type { SignedInIdentity } from '../sign-in/signed-in-identity.ts'
import { answerStepUp, type SignInSuccess } from './open-credentials.ts'
import { rehashInBackground } from './rehash.ts'

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
  readonly attempt: PresentedAttempt
}

/** The verdict on the password. */
export type ConfirmPasswordResult = SignInSuccess | Refusal<'invalid-credentials'>

export async function confirmPassword(
  context: AccountsContext,
  { identity, currentPassword, allowsNative = true, attempt: shown }: ConfirmPasswordInput,
): Promise<ConfirmPasswordResult> {
  const elapsed = startDuration()
  const { subject, mustEnroll = false } = identity
  if (!allowsNative) await refuseNative(context, identity)
  const proven = await provePasswordAgain(context, { subject, mustEnroll, password: currentPassword, attempt: shown })
  const { attempt } = proven
  const said = { ...attempt, accountId: subject }
  const refuse = (reason: string): Refusal<'invalid-credentials'> => {
    const sessionKey = identity.key ?? null
    context.emit({ type: 'password.confirmation-failed', ...said, sessionKey, durationMs: elapsed(), reason })
    return invalidCredentials
  }
  if ('refused' in proven) return refuse(proven.refused)
  const { account, needsRehash } = proven
  const renewed = await renewCredentials(context, proven, identity)
  if (typeof renewed === 'string') return refuse(renewed)
  if (needsRehash) rehashInBackground(context, account, { password: currentPassword, attempt })
  const sessionKey = renewed.identity.key
  context.emit({ type: 'password.confirmed', ...said, sessionKey, durationMs: elapsed() })
  return answerStepUp(account, renewed)
}
