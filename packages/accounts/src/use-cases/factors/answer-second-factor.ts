import { startDuration } from '@latchkey/core/internal'
import type { AccountsContext } from '../../context/accounts-context.ts'
import type { Accounts } from '../../contract/accounts.ts'
import type { SignedInIdentity } from '../../contract/signed-in-identity.ts'
import { checkDelivery } from '../../delivery.ts'
import { invalidStepUp, offered, type Rejection } from '../../errors.ts'
import { refuseNative, renewCredentials } from '../../sign-in/renew-credentials.ts'
import {
  proveSecondFactor,
  type RefusedFactor,
  type SecondFactorProven,
  type SignedIn,
  type SteppedUp,
} from '../../sign-in/sign-in-states.ts'
import type { PresentedFactor, TestedFactor } from '../../sign-in/test-factor.ts'
import { answerStepUp, type OpeningRequest, openCredentials, type SignInSuccess } from '../open-credentials.ts'
import { setPassword } from '../set-password.ts'
import type { SecondStepInput } from './factor-inputs.ts'
import { refuseFactor } from './report-factors.ts'

export async function verifySecondFactor(
  context: AccountsContext,
  { challenge, code, ...input }: Parameters<Accounts['verifySecondFactor']>[0],
): Promise<SignInSuccess | Rejection<'invalid-credentials'>> {
  offered(context.recoveryCodes)
  return answerSecondFactor(context, { challenge, shown: { code } }, input)
}

/** Answers a challenge with a code or a passkey. The purpose of the challenge decides what follows. */
export async function answerSecondFactor(
  context: AccountsContext,
  answer: { readonly challenge: string; readonly shown: PresentedFactor },
  input: SecondStepInput,
): Promise<SignInSuccess | Rejection<'invalid-credentials'>> {
  const elapsed = startDuration()
  const { identity = null, attempt, allowsNative = true } = input
  checkDelivery(input.delivery, context)
  const challenge = await context.challenges.read(answer.challenge)
  const isStepUp = challenge?.purpose === 'step-up'
  if (isStepUp && identity && !allowsNative) await refuseNative(context, identity)
  const proven = await proveSecondFactor(context, { challenge, shown: answer.shown, identity, attempt })
  if (!('signedIn' in proven || 'steppedUp' in proven)) {
    const refused = await refuseFactor(context, proven, elapsed())
    return isStepUp ? invalidStepUp : refused
  }
  if ('signedIn' in proven) {
    const signedIn = await finishReset(context, proven, elapsed)
    if (!signedIn) return refuseFactor(context, overtaken(proven), elapsed())
    const remembered = await trustDevice(context, { ...proven, signedIn }, input)
    return openCredentials(context, signedIn, { ...input, ...afterReset(proven, input), elapsed }, remembered)
  }
  return stepUp(context, proven, { identity: identity ?? { subject: proven.steppedUp.account.id }, elapsed })
}

type SignedInByFactor = Extract<SecondFactorProven, { readonly signedIn: SignedIn }>

/** Sets the password that a reset waits with. `null`: the account has changed in the meantime. */
async function finishReset(
  context: AccountsContext,
  { signedIn, passwordHash }: SignedInByFactor,
  elapsed: () => number,
): Promise<SignedIn | null> {
  if (passwordHash === null) return signedIn
  const { account, attempt } = signedIn
  const changed = await setPassword(context, { account, passwordHash, attempt, elapsed })
  return changed && { ...signedIn, account: changed }
}

/**
 * Returns the changes of a reset for the sign-in after it: the session of the account is revoked, so there is no
 * session to replace.
 */
function afterReset(
  { passwordHash, signedIn: { account } }: SignedInByFactor,
  { replaces = null }: Pick<SecondStepInput, 'replaces'>,
): Pick<OpeningRequest, 'former' | 'replaces'> {
  if (passwordHash === null) return {}
  return { former: account, replaces: replaces?.subject === account.id ? null : replaces }
}

function overtaken({ tested, signedIn: { account, attempt } }: SignedInByFactor): RefusedFactor {
  const judged = { ...tested, outcome: 'account-changed', detail: 'account-changed', proof: null } as const
  return { tested: judged, accountId: account.id, attempt }
}

/**
 * A recovery code replaces a lost factor. It does not trust the device, because the code may have been found by someone
 * else.
 */
async function trustDevice(
  { trustedDevices }: AccountsContext,
  { tested, signedIn }: { readonly tested: TestedFactor; readonly signedIn: SignedIn },
  { trustDevice: isWanted = false }: SecondStepInput,
): Promise<string | null> {
  if (trustedDevices === null || isWanted !== true || tested.kind === 'recovery-code') return null
  return trustedDevices.remember(signedIn.account)
}

/** Stepped up → the answer: the credential is renewed in the form in which it came. */
async function stepUp(
  context: AccountsContext,
  { steppedUp, tested }: { readonly steppedUp: SteppedUp; readonly tested: TestedFactor },
  { identity, elapsed }: { readonly identity: SignedInIdentity; readonly elapsed: () => number },
): Promise<SignInSuccess | Rejection<'invalid-credentials'>> {
  const { account, attempt } = steppedUp
  const said = { ...attempt, accountId: account.id, factor: tested.kind }
  const renewed = await renewCredentials(context, steppedUp, identity)
  if (typeof renewed === 'string') {
    const sessionKey = identity.key ?? null
    const failed = { type: 'second-factor.failed', ...said, sessionKey, reason: renewed } as const
    await context.trail.record({ ...failed, durationMs: elapsed() })
    return invalidStepUp
  }
  const sessionKey = renewed.identity.key
  context.emit({ type: 'second-factor.confirmed', ...said, sessionKey, durationMs: elapsed() })
  return answerStepUp(account, renewed)
}
