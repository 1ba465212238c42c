import type { AnyPolicy, Identity, PermissionSet, Rule } from '@latchkey/rbac'
import { isSteppedUp } from './step-up.ts'

/**
 * The verdict of a rule for an identity, before ownership is checked.
 *
 * - `out-of-scope`: forbidden through this grant; a grant with more scopes would be allowed.
 * - `unenrolled`: the account must enroll a second factor before its roles are checked.
 * - `impersonated`: only the owner may do this, and an administrator acts for the account.
 * - `api-key`: only the owner may do this, and the credential is an API key.
 * - `own-pages`: only the pages of the service may do this, and the request is from a client of the service.
 */
export type RuleVerdict =
  | 'allowed'
  | 'no-identity'
  | 'forbidden'
  | 'unenrolled'
  | 'impersonated'
  | 'api-key'
  | 'own-pages'
  | 'out-of-scope'
  | 'step-up'

export interface RuleDecider {
  /**
   * Decides a rule without its owner part. For a rule with an owner, `allowed` also needs ownership, unless
   * `liftsOwner` returns `true`.
   *
   * @param rules all rules of the field.
   */
  decide(rule: Rule, identity: Identity | null, rules: readonly Rule[]): RuleVerdict
  /** Whether the identity has a permission that replaces ownership. */
  liftsOwner(rule: Rule, identity: Identity | null): boolean
}

/** Decides rules for the identities of a policy. Refusals that no factor can lift have precedence over step-ups. */
export function createRuleDecider(policy: AnyPolicy, now: () => number): RuleDecider {
  const liftsOwner = ({ owner }: Rule, identity: Identity | null): boolean =>
    owner?.lifted.some((set) => policy.holds(identity, set)) ?? false
  const isOfWrongKind = (rule: Rule, identity: Identity): boolean =>
    (rule.account && identity.kind !== 'account') ||
    (rule.client && identity.kind !== 'client') ||
    (rule.firstParty && !identity.firstParty) ||
    (rule.owner !== null && identity.kind !== 'account' && !liftsOwner(rule, identity))
  const isMetByGrant = (rule: Rule, identity: Identity): boolean =>
    !rule.firstParty && (rule.anyOf !== null || rule.scope !== null || liftsOwner(rule, identity))
  const judgeKind = (rule: Rule, identity: Identity, rules: readonly Rule[]): RuleVerdict => {
    if (identity.apiKey !== null && rules.some(isKeptFromKeys)) return 'api-key'
    if (isOfWrongKind(rule, identity)) return 'forbidden'
    if (isOwnClient(identity) && rules.some(asksForProof) && !isMetByGrant(rule, identity)) return 'own-pages'
    if (identity.impersonator !== null && isOwnersAlone(rule)) return 'impersonated'
    return identity.mustEnroll && !rule.beforeEnrollment ? 'unenrolled' : 'allowed'
  }
  const judgePermissions = (rule: Rule, identity: Identity): RuleVerdict => {
    if (rule.anyOf === null || rule.anyOf.some((set) => policy.holds(identity, set))) return 'allowed'
    return isWithinRoles(policy, rule.anyOf, identity) ? 'out-of-scope' : 'forbidden'
  }
  const names = (identity: Identity, { names: scopes, permissions }: NonNullable<Rule['scope']>[number]): boolean =>
    scopes.every((scope) => identity.scopes?.includes(scope)) && policy.holds(identity, permissions)
  const judgeScopes = (sets: NonNullable<Rule['scope']>, identity: Identity): RuleVerdict => {
    if (sets.some((set) => names(identity, set))) return 'allowed'
    const couldBeNamed = sets.some(
      ({ permissions }) => permissions.names.length === 0 || isWithinRoles(policy, [permissions], identity),
    )
    return couldBeNamed ? 'out-of-scope' : 'forbidden'
  }
  const judgeGrant = (rule: Rule, identity: Identity): RuleVerdict => {
    if (identity.firstParty && identity.scopes === null) return 'allowed'
    if (rule.scope !== null) return judgeScopes(rule.scope, identity)
    // A third party needs a consent: the account and its ownership are not enough.
    if (!isThirdParty(identity) || isMetByGrant(rule, identity)) return 'allowed'
    return isWithinRoles(policy, rule.owner?.lifted ?? [], identity) ? 'out-of-scope' : 'forbidden'
  }

  return {
    liftsOwner,
    decide(rule, identity, rules) {
      if (rule.public) return 'allowed'
      if (!identity) return 'no-identity'
      const kind = judgeKind(rule, identity, rules)
      if (kind !== 'allowed') return kind
      const permissions = judgePermissions(rule, identity)
      if (permissions !== 'allowed') return permissions
      const grant = judgeGrant(rule, identity)
      if (grant !== 'allowed') return grant
      return rule.stepUp && !isSteppedUp(rule.stepUp, identity, now()) ? 'step-up' : 'allowed'
    },
  }
}

/** Whether the rule protects changes of the account itself, or needs a fresh proof of its owner. */
function isOwnersAlone(rule: Rule): boolean {
  return asksForProof(rule) || (rule.firstParty && !rule.impersonation)
}

/** Whether API keys are refused, whatever their scopes. */
function isKeptFromKeys(rule: Rule): boolean {
  return asksForProof(rule) || rule.firstParty
}

function asksForProof({ credential, stepUp }: Rule): boolean {
  return credential || stepUp !== null
}

/** A client that belongs to the service, but whose tokens are limited by scopes. */
function isOwnClient({ firstParty, scopes }: Identity): boolean {
  return firstParty && scopes !== null
}

function isThirdParty({ kind, firstParty }: Identity): boolean {
  return kind === 'account' && !firstParty
}

/** Whether another grant could give the missing permissions. A machine has the permissions of its grant. */
function isWithinRoles(policy: AnyPolicy, anyOf: readonly PermissionSet[], identity: Identity): boolean {
  if (identity.scopes === null) return false
  const isMachine = identity.kind === 'client' && identity.roles.length === 0
  const couldHave = (name: string): boolean => /^(?:granted|out-of-scope)$/.test(policy.explain(identity, name).reason)
  return anyOf.some(({ names }) => names.length > 0 && (isMachine || names.every(couldHave)))
}
