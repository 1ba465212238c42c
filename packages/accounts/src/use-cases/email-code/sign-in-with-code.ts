import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import type { SignInResult } from '../../contract/sign-in-result.ts'
import { checkDelivery } from '../../delivery.ts'
import { proveEmailCode } from '../../sign-in/sign-in-states.ts'
import { continueSignIn } from '../continue-sign-in.ts'
import { refuseSignIn } from '../open-credentials.ts'

export async function signInWithCode(
  context: AccountsContext,
  input: Parameters<Accounts['signInWithCode']>[0],
): Promise<SignInResult> {
  const elapsed = startDuration()
  checkDelivery(input.delivery, context)
  const proven = await proveEmailCode(context, input)
  if ('refused' in proven) return refuseSignIn(context, proven, elapsed())
  const { email: _email, code: _code, challenge: _challenge, ...request } = input
  return continueSignIn(context, proven, { ...request, elapsed })
}
