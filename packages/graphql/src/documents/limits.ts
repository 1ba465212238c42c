import { checkOptionNames } from '@latchkey/core/internal'
import type { GraphQLError } from 'graphql'
import type { OperationVerdict } from '../access-contract.ts'
import { refusal } from '../refusal.ts'

/**
 * The limits of a document. Each count is for one operation, with its fragments: a fragment counts at each spread.
 * Selections that `@skip` leaves out count too, except for `cost`. All limits except `report` are whole numbers.
 */
export interface DocumentLimits {
  /** Lexical tokens of the document. Default 2000. */
  readonly tokens: number
  /** Comments in the document. Default 100. */
  readonly comments: number
  /** Operations in the document. Default 10. */
  readonly operations: number
  /**
   * Levels of nested fields, without the fields below `__schema` and `__type`. Default 16. Brackets in documents and
   * variables may be nested ten times as deep, and always up to 100 levels.
   */
  readonly depth: number
  /** Aliases. Default 100. */
  readonly aliases: number
  /** Names in the answer of a query, without `__typename`. Default 50. */
  readonly queryRootFields: number
  /** The same of a mutation. Default 10. A field that tests a secret is always alone. */
  readonly mutationRootFields: number
  /** Directives. Default 50. */
  readonly directives: number
  /** Directives in one place. Default 4. */
  readonly directivesPerLocation: number
  /**
   * Fields, fragments and spreads, counted each time they are reached. Bounds the work of all later steps. Default
   * 1500.
   */
  readonly expandedSelections: number
  /**
   * Fields, multiplied by the sizes of the lists above them. The size of a list is its argument `first`, `last` or
   * `limit`, or the argument of the object around the list; else ten. `__schema` and `__type` are free, as are
   * selections that variables leave out. Default 100000.
   */
  readonly cost: number
  /** The maximum of `first`, `last` and `limit`. A larger or negative value is `BAD_USER_INPUT`. Default 100. */
  readonly pageSize: number
  /** Errors of validation that are reported. @default 5 */
  readonly validationErrors: number
  /** Errors in variables that are reported. @default 10 */
  readonly coercionErrors: number
  /**
   * Reports an exceeded limit and answers the operation, for the first week of a service. The limits that protect the process
   * still refuse it: `tokens`, `comments`, `expandedSelections` and the nesting of brackets. Default `false`.
   */
  readonly report: boolean
}

/** A limit that a document has exceeded. */
export type ExceededLimit = OperationVerdict['exceeded'][number]

const defaults: DocumentLimits = {
  tokens: 2000,
  comments: 100,
  operations: 10,
  depth: 16,
  aliases: 100,
  queryRootFields: 50,
  mutationRootFields: 10,
  directives: 50,
  directivesPerLocation: 4,
  expandedSelections: 1500,
  cost: 100_000,
  pageSize: 100,
  validationErrors: 5,
  coercionErrors: 10,
  report: false,
}

const names = Object.fromEntries(Object.keys(defaults).map((name) => [name, true])) as Record<
  keyof DocumentLimits,
  true
>

/** Without any error, the answer would look like a success. */
const fromOne: readonly string[] = ['validationErrors', 'coercionErrors'] satisfies (keyof DocumentLimits)[]

/**
 * Returns all limits, with defaults for omitted limits.
 *
 * @throws TypeError naming a limit that does not exist or has a wrong value.
 */
export function readLimits(given: Partial<DocumentLimits> = {}): DocumentLimits {
  const changed = Object.entries(checkOptionNames('"limits"', given, names)).filter(([, value]) => value !== undefined)
  for (const [name, value] of changed) {
    if (name === 'report') {
      if (typeof value !== 'boolean') throw new TypeError('"limits.report" must be true or false')
      continue
    }
    const least = fromOne.includes(name) ? 1 : 0
    if (!Number.isSafeInteger(value) || Number(value) < least)
      throw new TypeError(`"limits.${name}" must be a whole number from ${least}`)
  }
  return Object.freeze({ ...defaults, ...Object.fromEntries(changed) })
}

/** Returns the maximum nesting of brackets and variables, which keeps recursive code from overflowing. */
export function nestingAtMost({ depth }: DocumentLimits): number {
  return Math.max(100, depth * 10)
}

/** The limits, and whether refusals name the exceeded limit and the schema's types and fields. */
export interface LimitRules {
  readonly limits: DocumentLimits
  readonly areDetailsTold: boolean
}

/** A count over its limit; `null` if counting stopped at the limit. */
export interface Excess {
  readonly limit: ExceededLimit['limit']
  readonly value: number | null
  readonly operationName?: string | undefined
}

type Location = Pick<GraphQLError, 'nodes' | 'source' | 'positions'>

/** Returns the error of a document that is over a limit. */
export function limitRefusal(excess: Excess, rules: LimitRules, located: Location | null = null): GraphQLError {
  const { limit } = excess
  const named = { message: `The document exceeds the limit "${limit}" of ${rules.limits[limit]}. Request less.` }
  const error = refusal('QUERY_LIMIT_EXCEEDED', rules.areDetailsTold ? named : {}, located)
  return markExceeded(error, describeExcess(excess, rules.limits, 'QUERY_LIMIT_EXCEEDED'))
}

/** The exceeded limit of an error, even if its message hides the limit. */
const exceededBy = new WeakMap<GraphQLError, ExceededLimit>()

export function markExceeded(error: GraphQLError, exceeded: ExceededLimit): GraphQLError {
  exceededBy.set(error, { ...exceeded, refused: true })
  return error
}

export function exceededOf(errors: readonly GraphQLError[]): readonly ExceededLimit[] {
  return errors.flatMap((error) => exceededBy.get(error) ?? [])
}

export function describeExcess(
  { limit, value, operationName }: Excess,
  limits: DocumentLimits,
  code: ExceededLimit['code'],
): ExceededLimit {
  const counted = value === null ? null : Math.min(value, Number.MAX_SAFE_INTEGER)
  const cost = limit === 'cost' ? counted : null
  const allowed = limits[limit]
  return { code, limit, value: counted, allowed, operationName: operationName ?? null, cost, refused: false }
}
