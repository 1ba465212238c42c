import type { FactorVerdict } from '@latchkey/store'
import type { Stored } from '@latchkey/store/internal'
import { matchingSteps, stepsAt } from './matching-steps.ts'
import { readTotpCode } from './read-totp-code.ts'
import { refuse } from './refuse.ts'
import { type ActiveTotp, type TotpContext, totpKind } from './totp-context.ts'

/**
 * Accepts a code for exactly one caller, or counts it as wrong, in one swap of the factor: of many codes that are guessed at
 * once, no right one is accepted once the last failure is counted.
 */
export async function verifyTotp(context: TotpContext, accountId: string, code: string): Promise<FactorVerdict> {
  const given = readTotpCode(code)
  const seen: Seen = { swapped: refuse('not-enrolled'), otherwise: refuse('not-enrolled'), wasFresh: false }
  const swapped = await context.active.update(accountId, async ({ value }) => {
    const judged = await judge(context, accountId, { value, given })
    if (judged === 'disabled' || (judged === 'used' && seen.wasFresh)) {
      seen.otherwise = refuse(judged === 'used' ? 'overtaken' : judged)
      return null
    }
    const next =
      typeof judged === 'string' ? countFailure(context, value, judged) : await accept(context, accountId, judged)
    seen.wasFresh ||= next.verdict.ok
    seen.swapped = next.verdict
    return { ...value, ...next.value }
  })
  return swapped ? seen.swapped : seen.otherwise
}

/** The intermediate result of a verification. */
interface Seen {
  /** The verdict if the last swap succeeds. */
  swapped: FactorVerdict
  /** The verdict without a swap. */
  otherwise: FactorVerdict
  /** Whether the code was right and not used in an earlier round. */
  wasFresh: boolean
}

interface PresentedCode {
  readonly value: Stored<ActiveTotp>
  /** `null`: it is no code of any account. */
  readonly given: string | null
}

interface RightCode {
  readonly sealed: string
  readonly secret: Uint8Array
  readonly step: number
}

async function judge(
  { maxFailures, now, secrets, window }: TotpContext,
  accountId: string,
  { value, given }: PresentedCode,
): Promise<RightCode | 'wrong' | 'used' | 'disabled'> {
  const secret = given === null ? null : await secrets.open(accountId, value.secret)
  const steps = given === null || secret === null ? [] : matchingSteps(secret, given, stepsAt(now(), window))
  if (value.failures >= maxFailures) return 'disabled'
  const step = steps.find((one) => one > value.step)
  if (step !== undefined && secret !== null) return { sealed: value.secret, secret, step }
  return steps.length > 0 ? 'used' : 'wrong'
}

/** The new value of the factor, and the verdict if the swap succeeds. */
interface Judged {
  readonly verdict: FactorVerdict
  readonly value: Partial<ActiveTotp>
}

function countFailure({ maxFailures }: TotpContext, value: ActiveTotp, reason: 'wrong' | 'used'): Judged {
  const failures = value.failures + 1
  const refused = refuse(reason)
  return { verdict: failures === maxFailures ? { ...refused, disabled: true } : refused, value: { failures } }
}

async function accept(
  { now, secrets }: TotpContext,
  accountId: string,
  { sealed, secret, step }: RightCode,
): Promise<Judged> {
  const at = now()
  const renewed = await secrets.renew(accountId, sealed, secret)
  return {
    verdict: { ok: true, proof: { kind: totpKind, at, category: 'have' } },
    value: { secret: renewed, step, failures: 0, lastUsedAt: at },
  }
}
