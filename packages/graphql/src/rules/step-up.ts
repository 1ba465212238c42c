import type { Identity, Rule, StepUp } from '@latchkey/rbac'
import type { StepUpHook } from '../access-contract.ts'

type StepUpNeed = Parameters<StepUpHook>[1]

/** The requirements of a step-up, and facts for its errors. */
export interface JudgedNeed extends StepUpNeed {
  /** Whether the first factor is enough for an account without a second factor. */
  readonly ifEnrolled: boolean
  /** Whether the account has no second factor, and its first factor is enough. */
  readonly isFirstFactor: boolean
}

const recoveryKind = 'recovery-code'
/** A passkey with user verification is a second factor even if it was the first factor of the sign-in. */
const secondKinds: readonly string[] = ['totp', 'passkey']

/** Clocks of processes differ: a proof from further in the future does not count. */
const clockToleranceMs = 60_000

/** Whether an identity has recently proven an accepted factor. */
export function isSteppedUp(stepUp: Required<StepUp>, identity: Identity, time: number): boolean {
  if (identity.kind !== 'account') return false
  return identity.factors.some(({ kind, at }) => {
    const age = time - at
    const isFresh = age <= stepUp.maxAgeSeconds * 1000 && age >= -clockToleranceMs
    return isFresh && doesAnswer(kind, stepUp, identity)
  })
}

function doesAnswer(
  kind: string,
  { ifEnrolled, recoveryCode }: Required<StepUp>,
  { enrolledFactors }: Identity,
): boolean {
  if (kind === recoveryKind) return recoveryCode
  if (secondKinds.includes(kind)) return true
  if (!hasSecond(enrolledFactors)) return ifEnrolled
  return kind !== 'password' && enrolledFactors.includes(kind)
}

/** Recovery codes replace a lost factor; they are not a factor on their own. */
function hasSecond(enrolled: readonly string[]): boolean {
  return enrolled.some((kind) => kind !== recoveryKind)
}

/** Returns the strictest requirements of all rules, so that one proof is enough. */
export function stepUpNeed(
  rules: readonly Rule[],
  { enrolledFactors, factors }: Pick<Identity, 'enrolledFactors' | 'factors'>,
): JudgedNeed {
  const asked = rules.flatMap(({ stepUp }) => stepUp ?? [])
  const recoveryCode = asked.every((stepUp) => stepUp.recoveryCode)
  const ifEnrolled = asked.every((stepUp) => stepUp.ifEnrolled)
  const isFirstFactor = ifEnrolled && !hasSecond(enrolledFactors)
  return {
    maxAgeSeconds: Math.min(...asked.map(({ maxAgeSeconds }) => maxAgeSeconds)),
    factors: isFirstFactor
      ? firstKinds(factors)
      : enrolledFactors.filter((kind) => recoveryCode || kind !== recoveryKind),
    recoveryCode,
    ifEnrolled,
    isFirstFactor,
  }
}

/** Returns the kinds of factors of the sign-in, which can be presented again. */
function firstKinds(factors: Identity['factors']): readonly string[] {
  const shown = new Set(factors.map(({ kind }) => kind))
  const first = [...shown].filter((kind) => kind !== recoveryKind && !secondKinds.includes(kind))
  return first.length > 0 ? first : ['password']
}
