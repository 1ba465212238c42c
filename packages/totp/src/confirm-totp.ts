import type { EnrollOptions } from './enroll-totp.ts'
import { type FactorVerdict, refuse } from './factor-verdict.ts'
import { matchingSteps, stepsAt } from './matching-steps.ts'
import { readTotpCode } from './read-totp-code.ts'
import type { ReadFactor } from './stored-factors.ts'
import { type PendingTotp, type TotpContext, totpKind } from './totp-context.ts'
import { untilDecided } from './until-decided.ts'

export interface ConfirmOptions extends EnrollOptions {
  /**
   * Called by the one winner, after its code was checked and before the factor is in force: to write down that the account
   * has a factor. When it returns `false` or rejects, nothing is activated, and the enrolment begins anew.
   */
  readonly beforeActivation?: () => Promise<boolean>
}

/** Wrong codes that end an enrolment. */
const mostFailures = 5

/** Each lost race is a wrong code that was counted, the code that won, or another enrolment. */
const mostAttempts = 16

export async function confirmTotp(
  context: TotpContext,
  accountId: string,
  code: string,
  { binding = null, beforeActivation = async () => true }: ConfirmOptions,
): Promise<FactorVerdict> {
  const given = readTotpCode(code)
  const decided = await untilDecided(mostAttempts, async (attempt) => {
    const open = await readOpen(context, accountId, binding)
    if (open) return judge(context, accountId, open, given)
    return refuse(attempt === 0 ? 'not-enrolled' : 'overtaken')
  })
  if (!decided || 'ok' in decided) return decided ?? refuse('overtaken')
  return (await beforeActivation()) ? activate(context, accountId, decided) : refuse('overtaken')
}

interface OpenEnrollment {
  readonly current: ReadFactor<PendingTotp>
  readonly sealed: string
}

/** Returns the enrolment when it is open for this caller, or `null`. */
async function readOpen(
  { now, pending }: TotpContext,
  accountId: string,
  binding: string | null,
): Promise<OpenEnrollment | null> {
  const current = await pending.read(accountId)
  if (!current || current.value.binding !== binding || now() >= current.value.expiresAt) return null
  return current.value.secret === null ? null : { current, sealed: current.value.secret }
}

interface RightCode {
  readonly sealed: string
  readonly secret: Uint8Array
  readonly step: number
}

/** Returns the code that is right, for exactly one caller, or a refusal; `null` when the enrolment has changed meanwhile. */
async function judge(
  context: TotpContext,
  accountId: string,
  { current, sealed }: OpenEnrollment,
  given: string | null,
): Promise<RightCode | FactorVerdict | null> {
  const secret = await context.secrets.open(accountId, sealed)
  const [step] = given === null ? [] : matchingSteps(secret, given, stepsAt(context.now(), context.window))
  if (step === undefined) return (await countFailure(context, accountId, current)) ? refuse('wrong') : null
  return (await end(context, accountId, current)) ? { sealed, secret, step } : null
}

/** True for exactly one caller: from then on no code confirms this enrolment. */
function end({ pending }: TotpContext, accountId: string, current: ReadFactor<PendingTotp>): Promise<boolean> {
  return pending.replace(accountId, current, { ...current.value, secret: null })
}

function countFailure({ pending }: TotpContext, accountId: string, current: ReadFactor<PendingTotp>): Promise<boolean> {
  const failures = current.value.failures + 1
  const secret = failures < mostFailures ? current.value.secret : null
  return pending.replace(accountId, current, { ...current.value, failures, secret })
}

/**
 * The count begins again before the factor is in force, so that what was counted for the old one disables no new one. A
 * removal takes the enrolment away before the factor: one that came between has missed this factor, which goes then.
 */
async function activate(
  { active, factors, failures, now, pending, secrets }: TotpContext,
  accountId: string,
  { sealed, secret, step }: RightCode,
): Promise<FactorVerdict> {
  await failures.reset(accountId)
  const at = now()
  const renewed = await secrets.renew(accountId, sealed, secret)
  await active.put(accountId, { secret: renewed, step, createdAt: at, lastUsedAt: at })
  if (!(await pending.read(accountId))) {
    await factors.remove(active.idOf(accountId))
    return refuse('overtaken')
  }
  return { ok: true, proof: { kind: totpKind, at, category: 'have' } }
}
