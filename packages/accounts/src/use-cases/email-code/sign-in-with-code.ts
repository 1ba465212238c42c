import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import { checkDelivery } from '../../delivery.ts'
import { proveEmailCode } from '../../sign-in/sign-in-states.ts'
import { continueSignIn, type SignInResult } from '../continue-sign-in.ts'
import { refuseSignIn } from '../open-credentials.ts'
import type { SignInInput } from '../sign-in.ts'

export interface SignInWithCodeInput extends Omit<SignInInput, 'password' | 'trustedDeviceToken'> {
  /** The digits of the mail. */
  readonly code: string
  /** What `requestSignInCode` has returned; `null`: the browser shows none. */
  readonly challenge: string | null
}

export async function signInWithCode(context: AccountsContext, input: SignInWithCodeInput): Promise<SignInResult> {
  const elapsed = startDuration()
  checkDelivery(input.delivery, context)
  const proven = await proveEmailCode(context, input)
  if ('refused' in proven) return refuseSignIn(context, proven, elapsed())
  const { email: _email, code: _code, challenge: _challenge, ...request } = input
  return continueSignIn(context, proven, { ...request, elapsed })
}
