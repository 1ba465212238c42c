import type { AccountsContext } from '../context/accounts-context.ts'
import type { SignInResult } from '../contract/sign-in-result.ts'
import { readShowable } from '../sign-in/enrolled-kinds.ts'
import {
  completeSignIn,
  type FirstFactorProven,
  type SecondFactorPending,
  wouldComplete,
} from '../sign-in/sign-in-states.ts'
import { type OpeningRequest, openCredentials, refuseSignIn } from './open-credentials.ts'

/** The first factor was right, and the account has a second factor: the user is not signed in yet. */
export type SecondFactorRequired = Extract<SignInResult, { readonly status: 'second-factor-required' }>

/** First factor proven → the answer, whichever factor it was. */
export async function continueSignIn(
  context: AccountsContext,
  proven: FirstFactorProven,
  request: OpeningRequest,
): Promise<SignInResult> {
  const completed = await completeSignIn(context, proven, request.trustedDeviceToken)
  if (!('isPending' in completed)) return openCredentials(context, completed, request)
  const asked = await askSecondFactor(context, completed)
  if (asked) return asked
  const refused = { refused: 'second-factor-required', accountId: proven.account.id, attempt: proven.attempt } as const
  return refuseSignIn(context, refused, request.elapsed())
}

/**
 * `null`: the account has no factor that could be shown here, so no way leads on.
 *
 * @param passwordHash of the password that the answer sets. Omitted: it is a sign-in.
 */
export async function askSecondFactor(
  context: AccountsContext,
  pending: SecondFactorPending,
  passwordHash?: string,
): Promise<SecondFactorRequired | null> {
  const { id: accountId, epoch } = pending.account
  const showable = await readShowable(context, accountId, pending.enrolled)
  const factors = showable.filter((kind) => wouldComplete(pending, kind))
  if (factors.length === 0) return null
  const asked = {
    accountId,
    epoch,
    purpose: passwordHash === undefined ? 'sign-in' : 'reset',
    proven: pending.factors,
    kinds: factors,
    sessionKey: null,
    ...(passwordHash !== undefined && { passwordHash }),
    ...(pending.provider && { provider: pending.provider }),
  } as const
  return { ok: true, status: 'second-factor-required', challenge: await context.challenges.create(asked), factors }
}
