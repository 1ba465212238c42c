import {
  defaultFieldResolver,
  type GraphQLField,
  type GraphQLFieldResolver,
  type GraphQLResolveInfo,
  type GraphQLSchema,
  getArgumentValues,
  getNullableType,
  isListType,
  type OperationDefinitionNode,
} from 'graphql'
import { SealedContext, type SealedRequest } from '../access/sealed-request.ts'
import type { Conditions } from './jit-document.ts'
import { guardType, settle } from './jit-values.ts'

export interface JitParts {
  readonly sealed: GraphQLSchema
  readonly plainObjects: boolean
  /** What the copies that are compiled stand for: `graphql-jit` writes on the nodes, and a planned document is frozen. */
  readonly copies: WeakMap<OperationDefinitionNode, JitCopy>
}

/** The operation that was planned, and which of its conditions are met in the copy. */
export interface JitCopy extends Pick<GraphQLResolveInfo, 'operation' | 'fragments'> {
  readonly conditions: Conditions
}

type Field = GraphQLField<unknown, unknown>
type Resolve = GraphQLFieldResolver<unknown, unknown>
type JitInfo = { -readonly [name in keyof GraphQLResolveInfo]: GraphQLResolveInfo[name] }
type GetField = GraphQLSchema['getField']

/**
 * The schema as compiled operations see it: the types are the very same, only fields are found with resolvers that hand
 * on what `graphql` would hand on. Their arguments are read by `graphql` itself, from the variables that were decided
 * on: `graphql-jit` 0.8.9 does not see the default values that `graphql` 17 keeps, and coerces some values otherwise.
 */
export function createJitSchema(parts: JitParts): GraphQLSchema {
  const { sealed } = parts
  const fields = new Map<Field, Field>()
  const find: GetField = sealed.getField.bind(sealed)
  const getField: GetField = (type, name) => {
    const field = find(type, name)
    if (!field || name === '__typename') return field
    const known = fields.get(field) ?? adapt(field, parts)
    fields.set(field, known)
    return known
  }
  return Object.create(sealed, { getField: { value: getField } })
}

function adapt(field: Field, parts: JitParts): Field {
  if (!field.resolve && parts.plainObjects) return field
  const { resolve = defaultFieldResolver } = field
  const resolver = field.resolve ? restore(resolve, field, parts) : read(field, parts)
  return Object.assign(Object.create(field) as Field, { args: [], type: guardType(field.type), resolve: resolver })
}

/** A field without a resolver is a property, and only seldom a method. */
function read(field: Field, parts: JitParts): Resolve {
  const { name } = field
  const isList = isListType(getNullableType(field.type))
  const call = restore(defaultFieldResolver, field, parts)
  return (source, args, context, info) => {
    if (typeof source !== 'object' || source === null) return call(source, args, context, info)
    const value: unknown = source[name as never]
    return typeof value === 'function' ? call(source, args, context, info) : settle(value, isList)
  }
}

function restore(resolve: Resolve, field: Field, parts: JitParts): Resolve {
  const hasArguments = field.args.length > 0
  const isList = isListType(getNullableType(field.type))
  return (source, args, context, info: JitInfo) => {
    const copy = parts.copies.get(info.operation)
    const request = requestOf(context, info.operation, copy)
    info.schema = parts.sealed
    info.operation = request.plan.operation
    if (copy) info.fragments = copy.fragments
    info.variableValues = request.variables.values as GraphQLResolveInfo['variableValues']
    info.getAbortSignal = request.signal
    const [node] = info.fieldNodes
    const given = hasArguments && node ? getArgumentValues(field, node, request.variables.values) : args
    return settle(resolve(source, given, context, info), isList)
  }
}

/** What was decided on must be this very operation, with the conditions that it was compiled for. */
function requestOf(context: unknown, operation: OperationDefinitionNode, copy: JitCopy | undefined): SealedRequest {
  const seal = SealedContext.sealOf(context)
  if (!seal || copy?.operation !== seal.request.plan.operation) throw unsealed()
  const { request } = seal
  if (operation === seal.compiled) return request
  for (const [name, value] of copy.conditions) if (request.variables.read(name) !== value) throw unsealed()
  seal.compiled = operation
  return request
}

function unsealed(): Error {
  return new Error('This operation executes only as access.prepare decided it.')
}
