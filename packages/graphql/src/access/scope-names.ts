import type { AnyPolicy, Identity, Rule } from '@latchkey/rbac'
import type { ReadVariable } from '../documents/conditions.ts'
import { isMetByScopes, neededScopes, type RuledField } from '../plan/needed-scopes.ts'
import type { OperationPlan } from '../plan/plan.ts'
import type { PublishedScopes } from '../plan/published-scopes.ts'
import { reachedBy } from '../plan/reach-fields.ts'
import { type ScopeHolder, scopeHolderOf, unknownHolder } from '../plan/scope-holder.ts'

/** Names scopes in the refusals of one operation. `null`: no scope changes the refusal. */
export interface ScopeNames {
  /**
   * Returns the scopes that the operation needs.
   *
   * @param more fields beside those that the plan reaches.
   */
  needed(more?: readonly RuledField[]): readonly string[] | null
  /** Returns the same for fields whose resources are not owned, with permissions that replace ownership. */
  lifting(fields: readonly RuledField[]): readonly string[] | null
}

export interface ScopeNamesInput {
  readonly policy: AnyPolicy
  readonly published: PublishedScopes
  readonly identity: Identity | null
  readonly plan: OperationPlan
  readonly read: ReadVariable
  /** What the operation reaches for this identity. */
  readonly reached: readonly RuledField[]
}

export function createScopeNames(input: ScopeNamesInput): ScopeNames {
  const { policy, published, identity } = input
  const holder = identity && scopeHolderOf(policy, identity)
  const needed = (more: readonly RuledField[] = []): readonly string[] | null => {
    if (holder) return neededBy(holder, more, input)
    if (identity) return null
    return neededBy(unknownHolder('account'), more, input) ?? neededBy(unknownHolder('client'), more, input)
  }
  return {
    needed,
    lifting(fields) {
      const scopes = holder && needed()
      if (!scopes) return null
      const owned = fields.flatMap(({ rules }) => rules).filter((rule) => rule.owner && !isLifted(rule, holder))
      const lifts = owned.map((rule) => liftOf(rule, holder, published))
      if (lifts.includes(null)) return null
      return published.names.filter((name, position) => scopes.includes(name) || lifts.flat().includes(position))
    },
  }
}

/** Fields that are null without a scope are reached with it, and may need further ones. */
function neededBy(
  holder: ScopeHolder,
  more: readonly RuledField[],
  { published, plan, read, reached }: ScopeNamesInput,
): readonly string[] | null {
  let fields = [...reached, ...more]
  let scopes = neededScopes(fields, holder, published)
  while (plan.orNull && scopes !== null) {
    const held = scopes
    const opened = reachedBy(plan, read, (field) => !isMetByScopes(field, held, holder, published))
    fields = [...fields, ...opened]
    scopes = neededScopes(fields, holder, published)
    if (scopes?.length === held.length && scopes.every((scope) => held.includes(scope))) break
  }
  return scopes
}

function isLifted({ owner }: Rule, holder: ScopeHolder): boolean {
  return owner?.lifted.some(({ names }) => names.every((name) => holder.has(name) && holder.mayHave(name))) ?? false
}

/** Returns the positions of a permission in the place of ownership that only the grant lacks; `null`: there is none. */
function liftOf({ owner }: Rule, holder: ScopeHolder, published: PublishedScopes): number[] | null {
  if (!owner?.argument) return null
  const lifts = owner.lifted.flatMap(({ names }) => {
    const positions = names.flatMap((name) => (holder.mayHave(name) ? (published.positionOf(name) ?? []) : []))
    return positions.length === names.length ? [positions] : []
  })
  return lifts[0] ?? null
}
