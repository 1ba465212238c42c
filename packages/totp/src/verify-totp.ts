import { type FactorVerdict, refuse } from './factor-verdict.ts'
import { matchingSteps, stepsAt } from './matching-steps.ts'
import { readTotpCode } from './read-totp-code.ts'
import type { ReadFactor } from './stored-factors.ts'
import { type ActiveTotp, type TotpContext, totpKind } from './totp-context.ts'
import { untilDecided } from './until-decided.ts'

/** A lost race means that a later step was accepted, of which a window has three, or that the factor was enrolled anew. */
const mostAttempts = 8

export async function verifyTotp(context: TotpContext, accountId: string, code: string): Promise<FactorVerdict> {
  const given = readTotpCode(code)
  const verdict = await untilDecided(mostAttempts, async (attempt) => {
    const current = await context.active.read(accountId)
    if (!current) return refuse('not-enrolled')
    if (given === null) return countFailure(context, accountId, 'wrong')
    const secret = await context.secrets.open(accountId, current.value.secret)
    const steps = matchingSteps(secret, given, stepsAt(context.now(), context.window))
    if (steps.length === 0) return countFailure(context, accountId, 'wrong')
    const step = steps.find((one) => one > current.value.step)
    if (step !== undefined) return accept(context, accountId, { current, secret, step })
    return attempt === 0 ? countFailure(context, accountId, 'used') : refuse('overtaken')
  })
  return verdict ?? refuse('overtaken')
}

async function countFailure(
  { failures: counter, maxFailures }: TotpContext,
  accountId: string,
  reason: 'wrong' | 'used',
): Promise<FactorVerdict> {
  const failures = await counter.add(accountId)
  if (failures > maxFailures) return refuse('disabled')
  return failures === maxFailures ? { ok: false, reason, disabled: true } : refuse(reason)
}

interface RightCode {
  readonly current: ReadFactor<ActiveTotp>
  readonly secret: Uint8Array
  readonly step: number
}

/**
 * Accepts the code for exactly one caller; `null` when the factor has changed since it was read. The count is read after
 * the code was checked: of many codes that are guessed at once, no right one is accepted once the last failure is counted.
 */
async function accept(
  { active, failures: counter, maxFailures, now, secrets }: TotpContext,
  accountId: string,
  { current, secret, step }: RightCode,
): Promise<FactorVerdict | null> {
  const failures = await counter.read(accountId)
  if (failures >= maxFailures) return refuse('disabled')
  const at = now()
  const sealed = await secrets.renew(accountId, current.value.secret, secret)
  const next = { ...current.value, secret: sealed, step, lastUsedAt: at }
  if (!(await active.replace(accountId, current, next))) return null
  if (failures > 0) await counter.reset(accountId)
  return { ok: true, proof: { kind: totpKind, at, category: 'have' } }
}
