import { type OwnerFinder, resourceOf } from './ownership.ts'
import type { PermissionSet, PermissionTable } from './permission-set.ts'
import type { OwnerRule, Rule, RuleParts, StepUp } from './rule.ts'
import { ruleText } from './rule-text.ts'

export type RuleInput = 'public' | 'authenticated' | RuleParts<string, string>

const flags = [
  'public',
  'authenticated',
  'client',
  'firstParty',
  'beforeEnrollment',
  'impersonation',
  'credential',
  'orNull',
] as const
const parts: readonly string[] = [...flags, 'permissions', 'owner', 'scope', 'stepUp']

/** The parts of a rule that need another part to make a rule. */
const asksNothing = ['public', 'beforeEnrollment', 'impersonation', 'credential', 'orNull']

/** @throws TypeError listing all problems of a rule. */
export function normalizeRule(input: RuleInput, permissionTable: PermissionTable, owners: OwnerFinder): Rule {
  const given = expand(input)
  const problems: string[] = []
  const attempt = <Part>(make: () => Part): Part | null => {
    try {
      return make()
    } catch (error) {
      problems.push(error instanceof TypeError ? error.message : String(error))
      return null
    }
  }
  problems.push(...shapeProblems(given))
  const anyOf = attempt(() => permissionSets(given.permissions, permissionTable))
  const owner = attempt(() => ownerRule(given, anyOf, permissionTable, owners))
  const scope = attempt(() => scopeSets(given.scope, permissionTable))
  const stepUp = attempt(() => stepUpRule(given.stepUp))
  if (problems.length > 0) throw new TypeError(problems.join('; '))
  const rule = {
    public: given.public === true,
    account: given.authenticated === true,
    client: given.client === true,
    firstParty: given.firstParty === true,
    anyOf,
    owner,
    scope,
    stepUp,
    beforeEnrollment: given.beforeEnrollment === true,
    impersonation: given.impersonation === true,
    credential: given.credential === true,
    orNull: given.orNull === true,
  }
  return Object.freeze({ ...rule, text: ruleText(rule) })
}

function expand(input: RuleInput): RuleParts<string, string> {
  if (input === 'public') return { public: true }
  if (input === 'authenticated') return { authenticated: true }
  if (typeof input === 'object' && input !== null && !Array.isArray(input)) return input
  throw new TypeError('a rule is "public", "authenticated" or an object')
}

function shapeProblems(given: RuleParts<string, string>): string[] {
  const unknown = Object.keys(given).filter((name) => !parts.includes(name))
  const loose = flags.filter((name) => given[name] !== undefined && given[name] !== true)
  const asks = parts.filter((name) => !asksNothing.includes(name) && Object.hasOwn(given, name))
  const contradiction = given.public === true && asks.length > 0
  const needless = given.beforeEnrollment
    ? (['public', 'client', 'permissions'] as const).filter((name) => Object.hasOwn(given, name))
    : []
  const unopened = given.impersonation
    ? (['public', 'client', 'stepUp', 'credential'] as const).filter((name) => Object.hasOwn(given, name))
    : []
  const undecided = given.orNull
    ? (['public', 'permissions', 'owner', 'stepUp', 'credential'] as const).filter((name) => Object.hasOwn(given, name))
    : []
  const both = given.authenticated === true && given.client === true
  return [
    ...unknown.map((name) => `"${name}" is no part of a rule`),
    ...loose.map((name) => `"${name}" is true or left out`),
    ...(contradiction ? [`"public" cannot stand beside ${asks.join(', ')}`] : []),
    ...(needless.length > 0 ? [`"beforeEnrollment" lets no one in beside ${needless.join(', ')}`] : []),
    ...(unopened.length > 0 ? [`"impersonation" opens nothing beside ${unopened.join(', ')}`] : []),
    ...(undecided.length > 0 ? [`"orNull" cannot stand beside ${undecided.join(', ')}`] : []),
    ...(both ? ['nobody is both an account ("authenticated") and a client ("client")'] : []),
    ...(given.public !== true && asks.length === 0
      ? ['the rule asks for nothing: write "public" if that is meant']
      : []),
  ]
}

function permissionSets(given: unknown, permissionTable: PermissionTable): readonly PermissionSet[] | null {
  const sets = given === undefined ? null : anyOfSets('permissions', given)
  return sets && Object.freeze(sets.map((names) => permissionTable.setOf(names)))
}

function scopeSets(
  given: unknown,
  permissionTable: PermissionTable,
): readonly NonNullable<Rule['scope']>[number][] | null {
  const sets = given === undefined ? null : anyOfSets('scope', given)
  if (sets === null) return null
  const unusable = sets.flat().find((name) => !scopeToken.test(name))
  if (unusable !== undefined) throw new TypeError(`"scope": "${unusable}" cannot be a scope (RFC 6749 §3.3)`)
  return Object.freeze(sets.map((names) => scopeSet([...new Set(names)].sort(), permissionTable)))
}

/** RFC 6749 §3.3: printable ASCII without space, quote and backslash. */
const scopeToken = /^[\x21\x23-\x5b\x5d-\x7e]+$/

function scopeSet(names: readonly string[], permissionTable: PermissionTable): NonNullable<Rule['scope']>[number] {
  const permissions = permissionTable.setOf(names.filter((name) => permissionTable.bitOf(name) >= 0))
  return Object.freeze({ names: Object.freeze(names), permissions })
}

/** Reads one name, or sets of names of which one is required, without duplicates and in a fixed order. */
function anyOfSets(part: 'permissions' | 'scope', given: unknown): readonly (readonly string[])[] {
  const outer: unknown[] = Array.isArray(given) ? given : [[given]]
  const isFlat = outer.some((item) => !Array.isArray(item))
  if (isFlat && outer.length > 1) {
    throw new TypeError(
      `"${part}": a flat list could mean any or all: write [["a:b", "c:d"]] for both, [["a:b"], ["c:d"]] for either`,
    )
  }
  const sets = outer.map((item): unknown[] => (Array.isArray(item) ? item : [item]))
  if (sets.length === 0) throw new TypeError(`"${part}": an empty list lets nobody in`)
  if (sets.some((set) => set.length === 0)) throw new TypeError(`"${part}": an empty set lets everybody in`)
  const byText = new Map(sets.map((names) => [`${[...names].sort()}`, names.map((name) => nameOf(part, name))]))
  return [...byText].sort(([a], [b]) => (a < b ? -1 : 1)).map(([, names]) => names)
}

function nameOf(part: string, name: unknown): string {
  if (typeof name === 'string') return name
  throw new TypeError(`"${part}": a name must be a text`)
}

function ownerRule(
  { owner: given }: RuleParts<string, string>,
  anyOf: readonly PermissionSet[] | null,
  permissionTable: PermissionTable,
  owners: OwnerFinder,
): OwnerRule | null {
  if (given === undefined) return null
  if (typeof given !== 'object' || given === null) throw new TypeError('"owner" must be an object')
  const unknown = Object.keys(given).filter((name) => !['of', 'argument', 'unless'].includes(name))
  if (unknown.length > 0) throw new TypeError(`"owner": "${unknown.join('", "')}" is no part of an owner rule`)
  const lifting = given.unless === undefined ? [] : [permissionTable.setOf([given.unless])]
  const bypass = permissionTable.bitOf('ownership:bypass') < 0 ? [] : [permissionTable.setOf(['ownership:bypass'])]
  const of = given.of ?? impliedResource(given.unless, anyOf)
  if (!owners.resources.includes(of))
    throw new TypeError(`"owner": the policy knows no ownership of "${of}": add it to "ownership" of definePolicy`)
  const needed = given.argument === undefined ? 'ownerOf' : 'ownersById'
  if (!owners.has(of, needed))
    throw new TypeError(`"owner": the ownership of "${of}" has no ${needed}, which this rule needs`)
  return Object.freeze({ of, argument: argumentPath(given.argument), lifted: Object.freeze([...lifting, ...bypass]) })
}

function argumentPath(argument: string | undefined): readonly string[] | null {
  if (argument === undefined) return null
  if (typeof argument === 'string' && /^\w+(\.\w+)*$/.test(argument)) return Object.freeze(argument.split('.'))
  throw new TypeError('"owner": "argument" is a path into the arguments, such as "id" or "input.id"')
}

function impliedResource(unless: string | undefined, anyOf: readonly PermissionSet[] | null): string {
  const names = unless === undefined ? (anyOf ?? []).flatMap((set) => set.names) : [unless]
  const [resource, ...others] = new Set(names.map(resourceOf))
  if (resource !== undefined && others.length === 0) return resource
  throw new TypeError('"owner": whose owner is meant? Write "of"')
}

function stepUpRule(given: StepUp | undefined): Required<StepUp> | null {
  if (given === undefined) return null
  const { maxAgeSeconds, ifEnrolled = false, recoveryCode = false } = given
  if (!Number.isInteger(maxAgeSeconds) || maxAgeSeconds < 1) {
    throw new TypeError('"stepUp": "maxAgeSeconds" must be a whole number of seconds, at least 1')
  }
  if (typeof ifEnrolled !== 'boolean') throw new TypeError('"stepUp": "ifEnrolled" must be true or false')
  if (typeof recoveryCode !== 'boolean') throw new TypeError('"stepUp": "recoveryCode" must be true or false')
  return Object.freeze({ maxAgeSeconds, ifEnrolled, recoveryCode })
}
