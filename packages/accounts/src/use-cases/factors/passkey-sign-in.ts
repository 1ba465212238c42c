import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import type { SignInResult } from '../../contract/sign-in-result.ts'
import { checkDelivery } from '../../delivery.ts'
import { judgeUnread } from '../../devices/judge-attempt.ts'
import { invalidCredentials, offered, type Rejection } from '../../errors.ts'
import { guardCeremony } from '../../sign-in/guard-guesses.ts'
import { provePasskey } from '../../sign-in/sign-in-states.ts'
import { continueSignIn } from '../continue-sign-in.ts'
import { refuseSignIn } from '../open-credentials.ts'
import { answerSecondFactor } from './answer-second-factor.ts'
import type { PasskeyRequest } from './factor-inputs.ts'
import { refuseFactor } from './report-factors.ts'

export async function startPasskeySignIn(
  context: AccountsContext,
  {
    challenge: text = null,
    binding: browser = null,
    identity = null,
    attempt: shown,
  }: Parameters<Accounts['startPasskeySignIn']>[0],
): Promise<PasskeyRequest | Rejection<'invalid-credentials'>> {
  const passkeys = offered(context.passkeys)
  const challenge = await context.challenges.read(text)
  // Without a challenge it is not known whose device it is.
  const holder = async () => (challenge ? context.accounts.get(challenge.accountId) : null)
  await guardCeremony(context, await judgeUnread(context, shown, holder))
  if (text === null) return { ok: true, options: (await passkeys.startSignIn({ binding: browser })).options }
  if (!challenge?.kinds.includes('passkey')) return invalidCredentials
  const { key: binding, accountId, purpose, sessionKey } = challenge
  if (purpose === 'step-up' && (identity?.subject !== accountId || identity.key !== sessionKey))
    return invalidCredentials
  return { ok: true, options: (await passkeys.startSignIn({ accountId, binding })).options }
}

export async function finishPasskeySignIn(
  context: AccountsContext,
  { response, challenge = null, binding = null, ...input }: Parameters<Accounts['finishPasskeySignIn']>[0],
): Promise<SignInResult> {
  offered(context.passkeys)
  if (challenge !== null) return answerSecondFactor(context, { challenge, shown: { response } }, input)
  const elapsed = startDuration()
  checkDelivery(input.delivery, context)
  const proven = await provePasskey(context, { response, binding, attempt: input.attempt })
  if ('tested' in proven) return refuseFactor(context, proven, elapsed())
  if ('refused' in proven) return refuseSignIn(context, proven, elapsed())
  return continueSignIn(context, proven, { ...input, elapsed })
}
