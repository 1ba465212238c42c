import type { Rule } from '@latchkey/rbac'
import type { PublishedScopes } from './published-scopes.ts'
import type { ScopeHolder } from './scope-holder.ts'

/** A field by its rules, which must all be satisfied. */
export interface RuledField {
  readonly rules: readonly Rule[]
}

/** A set of published scopes: bit n is the scope at position n. */
interface Choice {
  readonly names: bigint
  /** The names that the holder lacks. */
  readonly lacking: bigint
}

interface Alternative extends Choice {
  /** For each needed scope or permission, the published scopes that grant it. */
  readonly granting: readonly bigint[]
}

/** One of the alternatives is needed. */
type Clause = readonly Alternative[]

/**
 * Returns the scopes that a grant needs for fields, in the order of `scopes_supported`: one alternative of each rule,
 * including scopes that the holder has. It chooses the combination of which the holder lacks the fewest scopes, then
 * the shortest, then the first in that order.
 *
 * @returns `null`: a field stays refused for any grant. Empty: the fields need no scope.
 */
export function neededScopes(
  fields: readonly RuledField[],
  holder: ScopeHolder,
  published: PublishedScopes,
): readonly string[] | null {
  const clauses = clausesOfAll(fields, holder, published)
  if (clauses === null) return null
  const [best = nothing] = combinations(clauses)
  return namesIn(withoutSpare(best.names, clauses), published)
}

/**
 * Returns the smallest sets of scopes, of which a grant needs one set for the fields. `null`: no grant opens them. One
 * empty set: they need no scope.
 */
export function scopeAlternatives(
  fields: readonly RuledField[],
  holder: ScopeHolder,
  published: PublishedScopes,
): readonly (readonly string[])[] | null {
  const clauses = clausesOfAll(fields, holder, published)
  if (clauses === null) return null
  const sets = new Set(combinations(clauses).map(({ names }) => withoutSpare(names, clauses)))
  return [...sets].map((set) => namesIn(set, published))
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

/**
 * Returns the requirements of a rule for a grant: one set of each list. `null`: the holder is refused with any grant.
 */
function alternativesOf(rule: Rule, holder: ScopeHolder, isProof: boolean): readonly NameSets[] | null {
  const { kind, firstParty } = holder
  if ((rule.account && kind !== 'account') || (rule.client && kind !== 'client')) return null
  if (rule.firstParty && (!firstParty || isProof)) return null
  const lifts = isLiftNeeded(rule, holder, isProof) ? (rule.owner?.lifted ?? []) : null
  return [rule.anyOf, rule.scope, lifts].flatMap((sets) => (sets ? [sets.map(({ names }) => names)] : []))
}

/** Whether only a permission that replaces ownership meets the rule. */
function isLiftNeeded({ owner, anyOf, scope }: Rule, { kind, firstParty }: ScopeHolder, isProof: boolean): boolean {
  if (kind === 'client') return owner !== null
  return anyOf === null && scope === null && (!firstParty || isProof)
}

function toClause(sets: NameSets, holder: ScopeHolder, published: PublishedScopes): Clause {
  return sets.flatMap((names) => toAlternative(names, holder, published) ?? [])
}

/** `null`: a name is not published, or not within the roles of the holder. */
function toAlternative(names: readonly string[], holder: ScopeHolder, published: PublishedScopes): Alternative | null {
  let choice: Choice = nothing
  const granting: bigint[] = []
  for (const name of names) {
    const position = published.positionOf(name)
    if (position === null || !holder.mayHave(name)) return null
    choice = join(choice, { names: bit(position), lacking: holder.has(name) ? 0n : bit(position) })
    granting.push(published.grantedBy(name))
  }
  return { ...choice, granting }
}

/** A choice with the numbers of its scopes. */
interface Counted extends Choice {
  readonly length: number
  readonly lacks: number
}

const nothing: Counted = { names: 0n, lacking: 0n, length: 0, lacks: 0 }

/** The maximum number of compared choices. With more alternatives, fewer choices are compared. */
const choicesAtMost = 64
const joinsAtMost = 4096

/** Returns the combinations, best first. */
function combinations(clauses: readonly Clause[]): readonly Counted[] {
  const alternatives = clauses.reduce((sum, clause) => sum + clause.length, 0)
  const atMost = Math.max(1, Math.min(choicesAtMost, Math.floor(joinsAtMost / alternatives)))
  let found: readonly Counted[] = [nothing]
  for (const clause of clauses) {
    const joined = found.flatMap((one) => joinedWith(one, clause))
    found = joined.every((one, index) => one === found[index]) ? found : leastOf(joined, atMost)
  }
  return found
}

function namesIn(set: bigint, { names }: PublishedScopes): readonly string[] {
  return names.filter((_name, position) => (set & bit(position)) !== 0n)
}

function joinedWith(one: Counted, clause: Clause): readonly Counted[] {
  if (clause.some((other) => isWithin(other, one))) return [one]
  return clause.map((other) => ({
    ...join(one, other),
    length: one.length + countOf(other.names & ~one.names),
    lacks: one.lacks + countOf(other.lacking & ~one.lacking),
  }))
}

/** Returns the best choices in order, without choices that contain a better choice. */
function leastOf(choices: readonly Counted[], atMost: number): readonly Counted[] {
  const ranked = choices.toSorted((a, b) => a.lacks - b.lacks || a.length - b.length || compareOrder(a.names, b.names))
  const kept: Counted[] = []
  for (const choice of ranked) {
    if (kept.length === atMost) break
    if (!kept.some((one) => isWithin(one, choice))) kept.push(choice)
  }
  return kept
}

/** Removes scopes that are not needed: another named scope grants the same, or the best combination was left out. */
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

/** Of two sets of equal size, the set with the first differing name comes first. */
function compareOrder(one: bigint, other: bigint): number {
  const differing = one ^ other
  if (differing === 0n) return 0
  return (one & differing & -differing) === 0n ? 1 : -1
}

function join(one: Choice, other: Choice): Choice {
  return { names: one.names | other.names, lacking: one.lacking | other.lacking }
}

function isWithin(part: Choice, whole: Choice): boolean {
  return (part.names & ~whole.names) === 0n && (part.lacking & ~whole.lacking) === 0n
}

function bit(position: number): bigint {
  return 1n << BigInt(position)
}

function countOf(set: bigint): number {
  let count = 0
  for (let left = set; left !== 0n; left &= left - 1n) count++
  return count
}
