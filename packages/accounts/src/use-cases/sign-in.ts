import { startDuration } from '@latchkey/core/internal'
import type { Device, Session } from '@latchkey/sessions'
import type { PresentedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { checkDelivery, type Delivery } from '../delivery.ts'
import { provePassword } from '../sign-in/sign-in-states.ts'
import { continueSignIn, type SignInResult } from './continue-sign-in.ts'
import { refuseSignIn } from './open-credentials.ts'
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
  /** By what an earlier sign-in has let the device be remembered: then the password is enough. */
  readonly trustedDeviceToken?: string | null
  /** Where it comes from. */
  readonly attempt: PresentedAttempt
}

export async function signIn(context: AccountsContext, input: SignInInput): Promise<SignInResult> {
  const elapsed = startDuration()
  checkDelivery(input.delivery, context)
  const proven = await provePassword(context, input)
  if ('refused' in proven) return refuseSignIn(context, proven, elapsed())
  const { account, attempt } = proven
  const result = await continueSignIn(context, proven, { ...input, elapsed })
  // The password was right, whatever is still to be shown.
  if (result.ok && proven.needsRehash) rehashInBackground(context, account, { password: input.password, attempt })
  return result
}
