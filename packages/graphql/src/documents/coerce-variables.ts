import {
  GraphQLError,
  type GraphQLSchema,
  type getArgumentValues,
  getVariableValues,
  type OperationDefinitionNode,
  print,
  versionInfo,
} from 'graphql'
import { AccessError } from '../errors.ts'
import { authorMessage } from './author-message.ts'
import type { ReadVariable } from './conditions.ts'
import { type DocumentLimits, describeExcess, markExceeded, nestingAtMost } from './limits.ts'

/** Coerced variables in the format of this version of GraphQL. Version 16 exports no type for them. */
export type ExecutorVariables = NonNullable<Parameters<typeof getArgumentValues>[2]>

/** Variables in the format of the executor. */
export interface CoercedVariables {
  readonly read: ReadVariable
  /** The variables for `getArgumentValues` of this version of GraphQL. */
  readonly values: ExecutorVariables
}

export type CoercionVerdict =
  | { readonly ok: true; readonly variables: CoercedVariables }
  | { readonly ok: false; readonly errors: readonly GraphQLError[] }

/**
 * Coerces like the executor, but refuses variables at which the executor would fail later, and never repeats a value.
 */
export function coerceVariables(
  schema: GraphQLSchema,
  { variableDefinitions = [] }: OperationDefinitionNode,
  given: Readonly<Record<string, unknown>>,
  limits: DocumentLimits,
): CoercionVerdict {
  const { coercionErrors: maxErrors } = limits
  const used = variableDefinitions.map(({ variable: { name } }) => given[name.value])
  if (used.some(isNested) && isNestedDeeper(used, nestingAtMost(limits))) {
    const refused = rejectVariables([new GraphQLError('The variables are nested too deeply.')])
    const exceeded = describeExcess({ limit: 'depth', value: null }, limits, 'BAD_USER_INPUT')
    for (const error of refused.errors) markExceeded(error, exceeded)
    return refused
  }
  // GraphQL 17 returns `variableValues`, 16 returns `coerced`.
  const result: {
    readonly errors?: readonly GraphQLError[] | undefined
    readonly variableValues?: ExecutorVariables | undefined
    readonly coerced?: unknown
  } = getVariableValues(schema, variableDefinitions, given, { maxErrors, hideSuggestions: true })
  if (result.errors) return rejectVariables(result.errors.slice(0, maxErrors))
  const values = (result.variableValues ?? result.coerced) as ExecutorVariables
  return { ok: true, variables: { values, read: (name) => readVariable(values, name) } }
}

/**
 * GraphQL 17 stores coerced values together with their sources. Decided by version, because clients choose variable
 * names.
 */
const keepsSources = versionInfo.major >= 17

/** Reads a coerced variable from the `info` of a resolver. */
export function readVariable(values: ExecutorVariables, name: string): unknown {
  const bag = (keepsSources ? values.coerced : values) as Readonly<Record<string, unknown>>
  return Object.hasOwn(bag, name) ? bag[name] : undefined
}

function rejectVariables(errors: readonly GraphQLError[]): Extract<CoercionVerdict, { readonly ok: false }> {
  return { ok: false, errors: errors.map(inOwnWords) }
}

/** Replaces the message of `graphql`, which repeats the value, possibly a password, or is the error of a scalar. */
function inOwnWords(error: GraphQLError): GraphQLError {
  const { nodes, message } = error
  const [node] = nodes ?? []
  const definition = node?.kind === 'VariableDefinition' ? node : null
  const field = definition && [definition.variable.name.value, ...pathIn(message)].join('.')
  const words = definition
    ? `The value of "$${field}" does not match the type "${print(definition.type)}" of "$${definition.variable.name.value}".`
    : 'The variables do not match their types.'
  const { extensions } = new AccessError('BAD_USER_INPUT', field ? { field } : {})
  return new GraphQLError(authorMessage(error) ?? words, { nodes: node ? [node] : [], extensions })
}

/** GraphQL 17 writes the path before the value; in version 16 a value could imitate the path. */
function pathIn(message: string): readonly string[] {
  const [, path = ''] = /^Variable "\$\w+" has invalid value at ((?:\.\w+|\[\d+\])+):/.exec(message) ?? []
  return path.split(/[.[\]]+/).filter((part) => part !== '')
}

/** Without recursion, because the client chooses the depth. */
function isNestedDeeper(value: unknown, limit: number): boolean {
  let level: unknown[] = [value]
  for (let depth = 0; level.length > 0; depth++) {
    if (depth > limit) return true
    level = level.flatMap((item) => (isNested(item) ? Object.values(item) : []))
  }
  return false
}

function isNested(value: unknown): value is object {
  return typeof value === 'object' && value !== null
}
