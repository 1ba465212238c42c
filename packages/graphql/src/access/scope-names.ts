import type { AnyPolicy, Identity, Rule } from '@latchkey/rbac'
import type { ReadVariable } from '../documents/conditions.ts'
import { isMetByScopes, neededScopes, type RuledField } from '../plan/needed-scopes.ts'
import type { OperationPlan } from '../plan/plan.ts'
import type { PublishedScopes } from '../plan/published-scopes.ts'
import { reachedBy } from '../plan/reach-fields.ts'
import { firstFound, holdersFor, type ScopeHolder } from '../plan/scope-holder.ts'

/** Names scopes in the refusals of one operation. `null`: no scope changes the refusal. */
export interface ScopeNames {
  /**
   * Returns the scopes that the operation needs.
   *
   * @param more fields that the plan does not reach.
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
  /** The fields that the operation reaches for this identity. */
  readonly reached: readonly RuledField[]
}

/** The scopes are searched when an operation is refused. */
export function createScopeNames(input: ScopeNamesInput): ScopeNames {
  let search: ScopeNames | null = null
  const open = (): ScopeNames => {
    search ??= createSearch(input)
    return search
  }
  return { needed: (more) => open().needed(more), lifting: (fields) => open().lifting(fields) }
}

function createSearch(input: ScopeNamesInput): ScopeNames {
  const { policy, published, identity } = input
  const holders = holdersFor(policy, identity)
  return {
    // A resolver may refuse each item of a list.
    needed: remember((more) => firstFound(holders, (holder) => neededBy(holder, { more, lifts: [] }, input))),
    lifting: remember((fields) => {
      const [holder] = identity ? holders : []
      if (!holder) return null
      const owned = fields.flatMap(({ rules }) => rules).filter((rule) => rule.owner && !isLifted(rule, holder))
      const lifts = owned.flatMap((rule) => liftOf(rule, holder, published) ?? [])
      return lifts.length < owned.length ? null : neededBy(holder, { more: [], lifts }, input)
    }),
  }
}

type Search = (fields: readonly RuledField[]) => readonly string[] | null

function remember(search: Search): (fields?: readonly RuledField[]) => readonly string[] | null {
  const known = new Map<string, readonly string[] | null>()
  return (fields = []) => {
    const key = fields.map(({ rules }) => rules.map(({ text }) => text).join('\n')).join('\n\n')
    const found = known.get(key)
    if (found !== undefined) return found
    const scopes = search(fields)
    known.set(key, scopes)
    return scopes
  }
}

interface Asked {
  readonly more: readonly RuledField[]
  /** The positions of scopes that replace ownership and are always named. */
  readonly lifts: readonly number[]
}

/** A scope may make a field reachable that is null without it, and that field may need further scopes. */
function neededBy(
  holder: ScopeHolder,
  { more, lifts }: Asked,
  { published, plan, read, reached }: ScopeNamesInput,
): readonly string[] | null {
  const fields = new Map([...reached, ...more].map((field) => [field.rules, field]))
  for (;;) {
    const needed = neededScopes([...fields.values()], holder, published)
    const scopes =
      needed && published.names.filter((name, position) => needed.includes(name) || lifts.includes(position))
    if (scopes === null || !plan.orNull) return scopes
    const opened = reachedBy(plan, read, (field) => !isMetByScopes(field, scopes, holder, published))
    const count = fields.size
    for (const field of opened) fields.set(field.rules, field)
    if (fields.size === count) return scopes
  }
}

function isLifted({ owner }: Rule, holder: ScopeHolder): boolean {
  return owner?.lifted.some(({ names }) => names.every((name) => holder.has(name) && holder.mayHave(name))) ?? false
}

/**
 * Returns the position of a scope for a permission that replaces ownership, if the account has the permission and the
 * grant does not. `null`: no scope does so.
 */
function liftOf({ owner }: Rule, holder: ScopeHolder, published: PublishedScopes): number | null {
  const names = owner?.argument ? owner.lifted.flatMap((set) => set.names) : []
  const lifts = names.flatMap((name) => (holder.mayHave(name) ? (published.positionOf(name) ?? []) : []))
  return lifts[0] ?? null
}
