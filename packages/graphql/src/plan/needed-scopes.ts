import type { Rule } from '@latchkey/rbac'
import type { PublishedScopes } from './published-scopes.ts'
import type { ScopeHolder } from './scope-holder.ts'

/** A field by its rules, all of which apply. */
export interface RuledField {
  readonly rules: readonly Rule[]
}

/** A set of published scopes: bit n is the scope at position n. */
interface Choice {
  readonly names: bigint
  /** Those of the names that the holder lacks. */
  readonly lacking: bigint
  /** For each scope or permission that is needed, the published scopes that grant it. */
  readonly granting: readonly bigint[]
}

const nothing: Choice = { names: 0n, lacking: 0n, granting: [] }

/** One choice of it is needed. */
type Clause = readonly Choice[]

/** More choices than these are not compared. */
const choicesAtMost = 64

/**
 * Returns the scopes that a grant needs for fields, in the order of `scopes_supported`: one alternative of each rule, including
 * scopes that the holder has. Of all combinations it is the one of which the holder lacks the fewest; of these the shortest, and
 * then the first in that order.
 *
 * @returns `null`: a field stays refused whatever a grant contains. Empty: the fields need no scope.
 */
export function neededScopes(
  fields: readonly RuledField[],
  holder: ScopeHolder,
  published: PublishedScopes,
): readonly string[] | null {
  const clauses = clausesOfAll(fields, holder, published)
  if (clauses === null) return null
  const best = withoutSpare(combine(clauses).names, clauses)
  return published.names.filter((_name, position) => (best & bit(position)) !== 0n)
}

/** Whether a grant of exactly these scopes meets the rules of a field, apart from factors and ownership. */
export function isMetByScopes(
  field: RuledField,
  names: readonly string[],
  holder: ScopeHolder,
  published: PublishedScopes,
): boolean {
  const held = names.reduce((all, name) => all | bit(published.positionOf(name) ?? published.names.length), 0n)
  return clausesOfAll([field], holder, published)?.every((clause) => isMetBy(held, clause)) ?? false
}

function clausesOfAll(
  fields: readonly RuledField[],
  holder: ScopeHolder,
  published: PublishedScopes,
): readonly Clause[] | null {
  const known = new Set<string>()
  const clauses: Clause[] = []
  for (const { rules } of fields) {
    const isProof = rules.some(({ credential, stepUp }) => credential || stepUp !== null)
    for (const rule of rules) {
      const id = `${isProof} ${rule.text}`
      if (known.has(id)) continue
      known.add(id)
      const written = alternativesOf(rule, holder, isProof)
      if (written === null) return null
      const read = written.map((sets) => toClause(sets, holder, published))
      if (read.some((clause) => clause.length === 0)) return null
      clauses.push(...read)
    }
  }
  return clauses.sort((one, other) => one.length - other.length)
}

type NameSets = readonly (readonly string[])[]

/** Returns what a rule asks of a grant: one set of each list. `null`: the holder is refused whatever its grant contains. */
function alternativesOf(rule: Rule, holder: ScopeHolder, isProof: boolean): readonly NameSets[] | null {
  const { kind, firstParty } = holder
  if ((rule.account && kind !== 'account') || (rule.client && kind !== 'client')) return null
  if (rule.firstParty && (!firstParty || isProof)) return null
  const lifts = isLiftNeeded(rule, holder, isProof) ? (rule.owner?.lifted ?? []) : null
  return [rule.anyOf, rule.scope, lifts].flatMap((sets) => (sets ? [sets.map(({ names }) => names)] : []))
}

/** Whether nothing but a permission in the place of ownership meets the rule. */
function isLiftNeeded({ owner, anyOf, scope }: Rule, { kind, firstParty }: ScopeHolder, isProof: boolean): boolean {
  if (kind === 'client') return owner !== null
  return anyOf === null && scope === null && (!firstParty || isProof)
}

function toClause(sets: NameSets, holder: ScopeHolder, published: PublishedScopes): Clause {
  return leastOf(sets.flatMap((names) => toChoice(names, holder, published) ?? []))
}

/** `null`: a name is not published, or not within the roles of the holder. */
function toChoice(names: readonly string[], holder: ScopeHolder, published: PublishedScopes): Choice | null {
  let choice = nothing
  for (const name of names) {
    const position = published.positionOf(name)
    if (position === null || !holder.mayHave(name)) return null
    const lacking = holder.has(name) ? 0n : bit(position)
    choice = join(choice, { names: bit(position), lacking, granting: [published.grantedBy(name)] })
  }
  return choice
}

function combine(clauses: readonly Clause[]): Choice {
  let found: readonly Choice[] = [nothing]
  for (const clause of clauses) found = leastOf(found.flatMap((one) => clause.map((other) => join(one, other))))
  return found[0] ?? nothing
}

/** Returns the best choices, the first one first, without those that contain another one. */
function leastOf(choices: readonly Choice[]): readonly Choice[] {
  const ranked = choices
    .map((choice) => ({ choice, lacks: countOf(choice.lacking), length: countOf(choice.names) }))
    .sort((a, b) => a.lacks - b.lacks || a.length - b.length || compareOrder(a.choice.names, b.choice.names))
  const kept: Choice[] = []
  for (const { choice } of ranked) {
    if (kept.length === choicesAtMost) break
    if (!kept.some((one) => isWithin(one.names, choice.names) && isWithin(one.lacking, choice.lacking))) {
      kept.push(choice)
    }
  }
  return kept
}

/** A scope is spare if another one that is named grants the same, or if the best combination was left out. */
function withoutSpare(names: bigint, clauses: readonly Clause[]): bigint {
  let left = names
  for (let position = names.toString(2).length - 1; position >= 0; position--) {
    const fewer = left & ~bit(position)
    if (fewer !== left && clauses.every((clause) => isMetBy(fewer, clause))) left = fewer
  }
  return left
}

function isMetBy(names: bigint, clause: Clause): boolean {
  return clause.some(({ granting }) => granting.every((scopes) => (scopes & names) !== 0n))
}

/** Of two sets of one size the one with the first name that only one of them has comes first. */
function compareOrder(one: bigint, other: bigint): number {
  const differing = one ^ other
  if (differing === 0n) return 0
  return (one & differing & -differing) === 0n ? 1 : -1
}

function join(one: Choice, other: Choice): Choice {
  const granting = [...new Set([...one.granting, ...other.granting])]
  return { names: one.names | other.names, lacking: one.lacking | other.lacking, granting }
}

function isWithin(part: bigint, whole: bigint): boolean {
  return (part & ~whole) === 0n
}

function bit(position: number): bigint {
  return 1n << BigInt(position)
}

function countOf(set: bigint): number {
  let count = 0
  for (let left = set; left !== 0n; left &= left - 1n) count++
  return count
}
