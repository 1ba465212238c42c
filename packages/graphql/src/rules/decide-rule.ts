import type { AnyPolicy, Identity, Rule } from '@latchkey/rbac'

/** What a rule says about an identity, without ownership, which needs more than an identity. */
export type RuleVerdict = 'allowed' | 'no-identity' | 'forbidden' | 'step-up'

export interface RuleDecider {
  /** `allowed` of a rule with an owner means: if the resource is theirs, unless `liftsOwner` says that it need not be. */
  decide(rule: Rule, identity: Identity | null): RuleVerdict
  /** Whether the identity has a permission that takes the place of ownership. */
  liftsOwner(rule: Rule, identity: Identity | null): boolean
}

const secondFactors = ['totp', 'passkey', 'recovery-code']

/** Clocks of several processes differ: a proof from further in the future does not count. */
const clockToleranceMs = 60_000

/** Decides rules for the identities of one policy. What no factor can change is decided before what a factor would satisfy. */
export function createRuleDecider(policy: AnyPolicy, now: () => number): RuleDecider {
  const liftsOwner = ({ owner }: Rule, identity: Identity | null): boolean =>
    owner?.lifted.some((set) => policy.holds(identity, set)) ?? false

  const isForbidden = (rule: Rule, identity: Identity): boolean =>
    (rule.account && identity.kind !== 'account') ||
    (rule.client && identity.kind !== 'client') ||
    (rule.firstParty && !identity.firstParty) ||
    (rule.anyOf !== null && !rule.anyOf.some((set) => policy.holds(identity, set))) ||
    (rule.owner !== null && identity.kind !== 'account' && !liftsOwner(rule, identity))

  return {
    liftsOwner,
    decide(rule, identity) {
      if (rule.public) return 'allowed'
      if (!identity) return 'no-identity'
      if (isForbidden(rule, identity)) return 'forbidden'
      return rule.stepUp && !isSteppedUp(rule.stepUp, identity, now()) ? 'step-up' : 'allowed'
    },
  }
}

/** A second factor is one of the known kinds, or one that the account has enrolled; a password is the first. */
function isSteppedUp(
  { maxAgeSeconds, ifEnrolled }: NonNullable<Rule['stepUp']>,
  { factors, enrolledFactors, kind }: Identity,
  time: number,
): boolean {
  if (kind !== 'account') return false
  if (ifEnrolled && enrolledFactors.length === 0) return true
  return factors.some((proof) => {
    const isSecond = secondFactors.includes(proof.kind) || enrolledFactors.includes(proof.kind)
    const age = time - proof.at
    return isSecond && proof.kind !== 'password' && age <= maxAgeSeconds * 1000 && age >= -clockToleranceMs
  })
}
