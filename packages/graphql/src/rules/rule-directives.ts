import {
  buildSchema,
  DirectiveLocation,
  type GraphQLDirective,
  type GraphQLSchema,
  isSpecifiedDirective,
} from 'graphql'
import { authDirectives } from './auth-directives.ts'

/** Other names for directives that carry rules, by the name in `authDirectives`. */
export type DirectiveAliases = Readonly<Record<string, string>>

/** The directives of a schema that carry rules. */
export interface RuleDirectives {
  /** By their name in the schema. */
  readonly known: ReadonlyMap<string, GraphQLDirective>
  /** Directives of this package whose names have another meaning in this schema, by these names. */
  readonly left: ReadonlyMap<string, GraphQLDirective>
}

let own: readonly GraphQLDirective[] | undefined

/** Built with the first schema, not at the start of a process. */
function ownDirectives(): readonly GraphQLDirective[] {
  own ??= buildSchema(`${authDirectives} type Query { field: String }`)
    .getDirectives()
    .filter((directive) => !isSpecifiedDirective(directive))
  return own
}

/**
 * Returns the directives that carry rules in a schema. Another tool's directive keeps its name if ours has an alias, or
 * if it belongs to Apollo Federation.
 */
export function ruleDirectivesOf(schema: GraphQLSchema, aliases: DirectiveAliases): RuleDirectives {
  const known = new Map<string, GraphQLDirective>()
  const left = new Map<string, GraphQLDirective>()
  for (const directive of ownDirectives()) {
    const { name } = directive
    const alias = aliases[name] ?? name
    const other = schema.getDirective(name)
    if (alias !== name || (other && isOfFederation(other))) left.set(name, directive)
    if (alias !== name || !left.has(name)) known.set(alias, directive)
  }
  return { known, left }
}

/** @throws TypeError for an unknown directive, and for ambiguous names. */
export function checkAliases(aliases: DirectiveAliases): void {
  const names = ownDirectives().map(({ name }) => name)
  for (const [name, alias] of Object.entries(aliases)) {
    if (!names.includes(name)) throw new TypeError(`"directives": there is no directive @${name} in "authDirectives"`)
    if (typeof alias !== 'string' || !/^[_A-Za-z]\w*$/.test(alias))
      throw new TypeError(`"directives.${name}" must be the name of a directive, without @`)
  }
  const used = names.map((name) => aliases[name] ?? name)
  const twice = used.find((name, index) => used.indexOf(name) !== index)
  if (twice !== undefined) throw new TypeError(`"directives" gives two directives the name @${twice}`)
}

/**
 * Whether the definition takes fields, as `@requires` of Apollo Federation does, and is not allowed on types, where a
 * rule would be lost. A field with only this directive has no rule, and is refused.
 */
function isOfFederation({ args, locations }: GraphQLDirective): boolean {
  const isOnTypes = locations.includes(DirectiveLocation.OBJECT) || locations.includes(DirectiveLocation.INTERFACE)
  return args.length > 0 && args.every(({ type }) => /FieldSet!?$/.test(`${type}`)) && !isOnTypes
}

/** Returns the problem of a directive that resembles a directive of this package, or redefines it; else `null`. */
export function strangeDirective({ known, left }: RuleDirectives, schema: GraphQLSchema, name: string): string | null {
  const defined = schema.getDirective(name)
  const ours = known.get(name)
  if (ours) {
    if (!defined) return `@${name} is not defined: put "authDirectives" before your SDL`
    if (signature(defined) === signature(ours)) return null
    return `@${name} is defined otherwise than in "authDirectives": rename one of them`
  }
  const renamed = left.get(name)
  if (renamed && defined) return isSame(defined, renamed) ? `@${name} has another name in "directives": use it` : null
  const meant = [...known.keys()].find((other) => looksLike(name, other))
  if (meant) return `@${name}: is @${meant} meant? A directive may not look so much like it`
  return defined ? null : `@${name} is not defined`
}

function isSame(one: GraphQLDirective, other: GraphQLDirective): boolean {
  return signature(one) === signature(other) && one.locations.toSorted().join() === other.locations.toSorted().join()
}

function signature({ args }: GraphQLDirective): string {
  return args
    .map(({ name, type }) => `${name}: ${type}`)
    .sort()
    .join(', ')
}

function looksLike(name: string, known: string): boolean {
  const [a, b] = [name, known].map((text) => text.toLowerCase().replaceAll('_', ''))
  if (a === undefined || b === undefined) return false
  return distance(a, b) <= (known.length >= 8 ? 2 : 1)
}

/** Returns the Levenshtein distance. */
function distance(a: string, b: string): number {
  let previous = Array.from({ length: b.length + 1 }, (_, index) => index)
  for (const [row, letter] of [...a].entries()) {
    const current = [row + 1]
    for (const [column, other] of [...b].entries()) {
      const replaced = (previous[column] ?? 0) + (letter === other ? 0 : 1)
      current.push(Math.min(replaced, (previous[column + 1] ?? 0) + 1, (current[column] ?? 0) + 1))
    }
    previous = current
  }
  return previous.at(-1) ?? 0
}
