import type { AnyPolicy, Identity } from '@latchkey/rbac'
import type { DocumentNode, OperationDefinitionNode } from 'graphql'
import type { Access } from '../access-contract.ts'
import { neededScopes, scopeAlternatives } from '../plan/needed-scopes.ts'
import type { OperationPlan, ReachedField } from '../plan/plan.ts'
import { planOperation } from '../plan/plan-operation.ts'
import { createPublishedScopes, type PublishedScopes } from '../plan/published-scopes.ts'
import { firstFound, holdersFor } from '../plan/scope-holder.ts'
import { createRuleDecider, type RuleDecider } from '../rules/decide-rule.ts'
import { isRefused } from '../rules/refusing-verdicts.ts'

/** The requirements that an operation has for OAuth clients, whichever identity and variables it is sent with. */
export interface OperationAccess {
  /** The smallest sets of published scopes, of which a grant needs one set; `null`: no grant opens the operation. */
  readonly scopes: readonly (readonly string[])[] | null
  /** The kinds of resources that the account must own, sorted. */
  readonly owner: readonly string[]
  /** The maximum age of a factor's proof; `null`: no proof is needed. */
  readonly stepUp: { readonly maxAgeSeconds: number } | null
  readonly isFirstParty: boolean
  /** By role: the access of an account that has only this role, with all published scopes. */
  readonly roles: Readonly<Record<string, 'yes' | 'own' | 'no'>>
  /** Returns the scopes that a grant needs, as in refusals; `null`: no grant of this identity opens the operation. */
  neededBy(identity: Identity | null): readonly string[] | null
}

type OperationAccessVerdict =
  | { readonly ok: true; readonly access: OperationAccess }
  /** `credential`: a field tests a secret. `varies`: the rules that apply depend on variables or on the identity. */
  | { readonly ok: false; readonly reason: 'credential' | 'varies' }

/** Returns the access of an operation of a validated document. */
export function readOperationAccess(
  { schema, policy, fields, introspection }: Access,
  [document, operation]: readonly [DocumentNode, OperationDefinitionNode],
  publishedScopes: readonly string[],
): OperationAccessVerdict {
  const known = new Map(fields.map((field) => [field.coordinate, field]))
  const plan: OperationPlan = planOperation(document, operation, { schema, access: known, introspection })
  if (plan.credential) return { ok: false, reason: 'credential' }
  if (plan.always === null) return { ok: false, reason: 'varies' }
  return { ok: true, access: describeAccess(plan.always, policy, createPublishedScopes(policy, publishedScopes)) }
}

function describeAccess(
  reached: readonly ReachedField[],
  policy: AnyPolicy,
  published: PublishedScopes,
): OperationAccess {
  const rules = reached.flatMap((field) => field.rules)
  const ages = rules.flatMap(({ stepUp }) => stepUp?.maxAgeSeconds ?? [])
  const decider = createRuleDecider(policy, () => 0)
  const outcomes = policy.roles.map((role) => [role, outcomeFor(role, reached, { policy, published, decider })])
  return {
    scopes: firstFound(holdersFor(policy, null), (holder) => scopeAlternatives(reached, holder, published)),
    owner: [...new Set(rules.flatMap(({ owner }) => owner?.of ?? []))].sort(),
    stepUp: ages.length === 0 ? null : { maxAgeSeconds: Math.min(...ages) },
    isFirstParty: rules.some(({ firstParty }) => firstParty),
    roles: Object.fromEntries(outcomes),
    neededBy: (identity) =>
      firstFound(holdersFor(policy, identity), (holder) => neededScopes(reached, holder, published)),
  }
}

interface RoleParts {
  readonly policy: AnyPolicy
  readonly published: PublishedScopes
  readonly decider: RuleDecider
}

function outcomeFor(
  role: string,
  reached: readonly ReachedField[],
  { policy, published, decider }: RoleParts,
): 'yes' | 'own' | 'no' {
  const identity = policy.identify({ subject: 'published', roles: [role], scopes: published.names, firstParty: false })
  const isRefusedIt = reached.some(({ rules }) =>
    rules.some((rule) => isRefused(decider.decide(rule, identity, rules))),
  )
  if (isRefusedIt) return 'no'
  const isOwned = reached.some(({ rules }) => rules.some((rule) => rule.owner && !decider.liftsOwner(rule, identity)))
  return isOwned ? 'own' : 'yes'
}
