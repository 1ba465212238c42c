import { checkOptionNames } from '@latchkey/core/internal'
import type { GraphQLError } from 'graphql'
import { refusal } from '../refusal.ts'

/**
 * How much one document may ask for. Every count is of one operation, through its fragments: what is spread twice
 * counts twice, and what `@skip` leaves out counts too, but for `cost`. All are whole numbers.
 */
export interface DocumentLimits {
  /** Lexical tokens of the document. Default 2000. */
  readonly tokens: number
  /** Comments in the document. Default 100. */
  readonly comments: number
  /** Operations in the document. Default 10. */
  readonly operations: number
  /**
   * Fields in one another. What stands below `__schema` and `__type` does not count. Default 10. Brackets of any kind
   * may be nested ten times as deep, and a hundred in any case; in variables too.
   */
  readonly depth: number
  /** Aliases. Default 15. */
  readonly aliases: number
  /** Names in the answer of a query, without `__typename`. Default 20. */
  readonly queryRootFields: number
  /** The same of a mutation. Default 5. A field that tests a secret is always alone. */
  readonly mutationRootFields: number
  /** Directives. Default 50. */
  readonly directives: number
  /** Directives in one place. Default 4. */
  readonly directivesPerLocation: number
  /** Fields, fragments and spreads, each as often as it is reached. It bounds the work of every later step. Default 5000. */
  readonly expandedSelections: number
  /**
   * Fields, each as often as lists above it may repeat it: as often as their argument `first`, `last` or `limit` says
   * (also where it stands on the object around the list), else ten times. `__schema` and `__type` cost nothing; what
   * the variables leave out costs nothing. Default 1000.
   */
  readonly cost: number
  /** What `first`, `last` and `limit` may be at most. More, or less than 0, is `BAD_USER_INPUT`. Default 100. */
  readonly pageSize: number
  /** Errors of validation that are reported. @default 5 */
  readonly validationErrors: number
  /** Errors in variables that are reported. @default 10 */
  readonly coercionErrors: number
}

const defaults: DocumentLimits = {
  tokens: 2000,
  comments: 100,
  operations: 10,
  depth: 10,
  aliases: 15,
  queryRootFields: 20,
  mutationRootFields: 5,
  directives: 50,
  directivesPerLocation: 4,
  expandedSelections: 5000,
  cost: 1000,
  pageSize: 100,
  validationErrors: 5,
  coercionErrors: 10,
}

const names = Object.fromEntries(Object.keys(defaults).map((name) => [name, true])) as Record<
  keyof DocumentLimits,
  true
>

/** No error at all would look like success. */
const fromOne: readonly string[] = ['validationErrors', 'coercionErrors'] satisfies (keyof DocumentLimits)[]

/**
 * Returns all limits; omitted ones have their defaults.
 *
 * @throws TypeError naming a limit that does not exist or is not a whole number.
 */
export function readLimits(given: Partial<DocumentLimits> = {}): DocumentLimits {
  const changed = Object.entries(checkOptionNames('"limits"', given, names)).filter(([, value]) => value !== undefined)
  for (const [name, value] of changed) {
    const least = fromOne.includes(name) ? 1 : 0
    if (!Number.isSafeInteger(value) || value < least)
      throw new TypeError(`"limits.${name}" must be a whole number from ${least}`)
  }
  return Object.freeze({ ...defaults, ...Object.fromEntries(changed) })
}

/** How deep brackets and variables may be nested: without a bound what recurses would overflow. */
export function nestingAtMost({ depth }: DocumentLimits): number {
  return Math.max(100, depth * 10)
}

/** The limits, and whether refusals tell details: which limit was exceeded, and what the schema has. */
export interface LimitRules {
  readonly limits: DocumentLimits
  readonly areDetailsTold: boolean
}

/** Returns the error of a document that is over a limit. */
export function limitRefusal(
  name: keyof DocumentLimits,
  { limits, areDetailsTold }: LimitRules,
  located: Pick<GraphQLError, 'nodes' | 'source' | 'positions'> | null = null,
): GraphQLError {
  const named = { message: `The document exceeds the limit "${name}" of ${limits[name]}. Request less.` }
  return refusal('QUERY_LIMIT_EXCEEDED', areDetailsTold ? named : {}, located)
}
