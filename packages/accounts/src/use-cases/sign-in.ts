import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { Accounts } from '../contract/accounts.ts'
import type { SignInResult } from '../contract/sign-in-result.ts'
import { checkDelivery } from '../delivery.ts'
import { provePassword } from '../sign-in/sign-in-states.ts'
import { continueSignIn } from './continue-sign-in.ts'
import { refuseSignIn } from './open-credentials.ts'
import { rehashInBackground } from './rehash.ts'

export async function signIn(
  context: AccountsContext,
  input: Parameters<Accounts['signIn']>[0],
): Promise<SignInResult> {
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
