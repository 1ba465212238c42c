import type { FactorProof, FactorVerdict } from '@latchkey/store'
import type { JudgedAttempt } from '../attempt.ts'
import type { AccountsContext } from '../context/accounts-context.ts'
import { offered } from '../errors.ts'
import { kindOfCode } from '../factors/second-factor-kinds.ts'
import type { SecondFactorKind } from '../factors/second-factors.ts'
import type { StoredAccount } from '../store/account-store.ts'
import type { PresentedOutcome } from './sign-in-transitions.ts'

/** The presented proof of a second factor. */
export type PresentedFactor = { readonly code: string } | { readonly response: unknown }

/** The outcome of a presented factor. */
export interface TestedFactor {
  readonly kind: SecondFactorKind
  readonly outcome: PresentedOutcome
  /** Why, in the words of the part, for the event. */
  readonly detail: string
  readonly proof: FactorProof | null
  /** Whether this very failure has disabled the factor. */
  readonly hasDisabled: boolean
  /** How many recovery codes are left; `null`: the part does not say. */
  readonly remaining: number | null
}

/** The account and ceremony that a factor must belong to. */
export interface FactorHolder {
  readonly account: StoredAccount
  /** The ceremony that it must belong to. */
  readonly binding: string | null
  /** The origin of the factor. */
  readonly attempt: JudgedAttempt
}

export function kindOf(shown: PresentedFactor): SecondFactorKind {
  return 'code' in shown ? kindOfCode(shown.code) : 'passkey'
}

/** Returns the outcome of a factor that was not tested. */
export function untested(kind: SecondFactorKind, outcome: Exclude<PresentedOutcome, 'right-factor'>): TestedFactor {
  return { kind, outcome, detail: outcome, proof: null, hasDisabled: false, remaining: null }
}

/** Tests a factor. An accepted code is used up, and its owner is mailed if it was a recovery code. */
export async function testFactor(
  context: AccountsContext,
  holder: FactorHolder,
  shown: PresentedFactor,
): Promise<TestedFactor> {
  const kind = kindOf(shown)
  if (!('code' in shown)) return testPasskey(context, holder, shown.response)
  const part = kind === 'totp' ? context.totp : context.recoveryCodes
  if (part === null) return untested(kind, 'kind-refused')
  const { code } = shown
  if (typeof code !== 'string') return untested(kind, 'factor-wrong')
  const verify = async (): Promise<TestedFactor> => judged(kind, await part.verify(holder.account.id, code))
  const tested = await (kind === 'recovery-code' ? useRecoveryCode(context, holder, verify) : verify())
  notifyOwner(context, holder, tested)
  return tested
}

/** Mails the owner that a recovery code was used, even if the sign-in fails after it, or that the factor was disabled. */
function notifyOwner(
  { mails, mailLinks, now }: AccountsContext,
  { account: { id: accountId, email: to }, attempt }: FactorHolder,
  { kind: factor, proof, remaining, hasDisabled }: TestedFactor,
): void {
  const data = { at: now(), accountUrl: mailLinks.account, resetUrl: mailLinks.requestPasswordReset }
  if (factor === 'recovery-code' && proof !== null)
    mails.send({ mail: { kind: 'recovery-code-used', data: { ...data, remaining } }, accountId, attempt, to })
  if (hasDisabled) mails.send({ mail: { kind: 'factor-disabled', data: { ...data, factor } }, accountId, attempt, to })
}

/** An accepted code is spent, even if the sign-in fails later. */
async function useRecoveryCode(
  { trail }: AccountsContext,
  { account: { id: accountId }, attempt }: FactorHolder,
  verify: () => Promise<TestedFactor>,
): Promise<TestedFactor> {
  const said = { type: 'recovery-code.used', ...attempt, accountId } as const
  const using = trail.plan(said)
  await using.begin()
  const tested = await verify()
  await (tested.proof === null ? using.failed() : using.done({ ...said, remaining: tested.remaining }))
  return tested
}

/** Returns the outcome of a tested factor. */
export function judged(kind: SecondFactorKind, verdict: FactorVerdict & { readonly remaining?: number }): TestedFactor {
  const remaining = verdict.remaining ?? null
  if (verdict.ok) {
    return { kind, outcome: 'right-factor', detail: '', proof: verdict.proof, hasDisabled: false, remaining }
  }
  const outcome = `factor-${verdict.reason}` as const
  return { kind, outcome, detail: outcome, proof: null, hasDisabled: verdict.disabled === true, remaining }
}

async function testPasskey(
  { passkeys }: AccountsContext,
  { account, binding }: Pick<FactorHolder, 'account' | 'binding'>,
  response: unknown,
): Promise<TestedFactor> {
  const verdict = await offered(passkeys).finishSignIn(response, { binding })
  if (!verdict.ok) return refusedCeremony(verdict)
  return verdict.accountId === account.id ? judged('passkey', verdict) : refusedCeremony({ reason: 'account' })
}

/** Returns the outcome of a refused ceremony. */
export function refusedCeremony({ reason }: { readonly reason: string }): TestedFactor {
  return { ...untested('passkey', 'factor-wrong'), detail: `passkey-${reason}` }
}
