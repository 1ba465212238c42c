import type { OwnerRule, Rule, StepUp } from './rule.ts'

/** Describes a rule in a fixed order, for reports and to compare rules. */
export function ruleText(rule: Omit<Rule, 'text'>): string {
  const words = [
    rule.public ? 'public' : null,
    rule.account ? 'authenticated' : null,
    rule.client ? 'client' : null,
    rule.firstParty ? 'first party' : null,
    rule.anyOf?.map((set) => set.names.join(' and ')).join(', or '),
    rule.owner && ownerText(rule.owner),
    rule.scope && `scope ${rule.scope.map((set) => set.names.join(' and ')).join(', or ')}`,
    rule.stepUp && stepUpText(rule.stepUp),
    rule.beforeEnrollment ? 'before enrollment' : null,
    rule.impersonation ? 'also impersonated' : null,
    rule.credential ? 'credential' : null,
    rule.orNull ? 'or null' : null,
  ]
  return words.filter((word) => typeof word === 'string').join('; ')
}

function ownerText({ of, argument, lifted }: OwnerRule): string {
  const by = argument ? ` by ${argument.join('.')}` : ''
  const unless = lifted.flatMap((set) => set.names).filter((name) => name !== 'ownership:bypass')
  return `owner of ${of}${by}${unless.map((name) => `, or ${name}`).join('')}`
}

function stepUpText({ maxAgeSeconds, ifEnrolled, recoveryCode }: StepUp): string {
  const first = ifEnrolled ? ', the first one where there is no second' : ''
  return `factor at most ${maxAgeSeconds} s old${first}${recoveryCode ? ', or a recovery code' : ''}`
}
