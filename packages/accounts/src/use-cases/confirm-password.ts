import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../context/accounts-context.ts'
import type { Accounts } from '../contract/accounts.ts'
import { invalidCredentials, type Rejection } from '../errors.ts'
import { refuseNative, renewCredentials } from '../sign-in/renew-credentials.ts'
import { provePasswordAgain } from '../sign-in/sign-in-states.ts'
import { answerStepUp } from './open-credentials.ts'
import { rehashInBackground } from './rehash.ts'

export async function confirmPassword(
  context: AccountsContext,
  { identity, currentPassword, allowsNative = true, attempt: shown }: Parameters<Accounts['confirmPassword']>[0],
): ReturnType<Accounts['confirmPassword']> {
  const elapsed = startDuration()
  const { subject, mustEnroll = false } = identity
  if (!allowsNative) await refuseNative(context, identity)
  const proven = await provePasswordAgain(context, { subject, mustEnroll, password: currentPassword, attempt: shown })
  const { attempt } = proven
  const said = { ...attempt, accountId: subject }
  const refuse = (reason: string): Rejection<'invalid-credentials'> => {
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
