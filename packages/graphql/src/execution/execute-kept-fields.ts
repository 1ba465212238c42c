import type { GraphQLObjectType } from 'graphql'
import { FieldResults } from './field-results.ts'
import { argumentValues, type ExecutorClass, type Info, type Path } from './graphql-internals.ts'
import type { KeptField, KeptFields } from './kept-selections.ts'

type Executor = InstanceType<ExecutorClass>

/** Executes the fields of an object. Returns a promise if a field is asynchronous. */
export function executeKeptFields(
  executor: Executor,
  type: GraphQLObjectType,
  source: unknown,
  path: Path | undefined,
  { fields, hasProto }: KeptFields,
): unknown {
  const results = new FieldResults(hasProto)
  for (const field of fields) {
    results.data[field.name] = field.isProperty
      ? readProperty(executor, results, type, source, path, field)
      : executeField(executor, results, type, source, { prev: path, key: field.name, typename: type.name }, field)
  }
  return results.whole()
}

/** Reads a field like the default resolver. Most fields are scalars with a value: these need no path and no `info`. */
function readProperty(
  executor: Executor,
  results: FieldResults,
  type: GraphQLObjectType,
  source: unknown,
  above: Path | undefined,
  field: KeptField,
): unknown {
  const { definition, details, leaf, name } = field
  try {
    const value = isObjectLike(source) ? source[definition.name] : undefined
    if (leaf && isPlain(value)) return executor.completeLeafValue(leaf, value)
    const path = { prev: above, key: name, typename: type.name }
    const info = infoOf(executor, type, path, field)
    const isMethod = typeof value === 'function' && isObjectLike(source)
    const result = isMethod ? callMethod(executor, source, definition.name, info) : value
    return completeField(executor, results, field, info, path, result)
  } catch (error) {
    executor.handleFieldError(error, definition.type, details, { prev: above, key: name, typename: type.name })
    return null
  }
}

function callMethod(executor: Executor, source: Record<string, unknown>, name: string, info: Info): unknown {
  const { contextValue } = executor.validatedExecutionArgs
  return (source as Record<string, Method>)[name]?.(Object.create(null), contextValue, info)
}

type Method = (args: object, context: unknown, info: Info) => unknown

function executeField(
  executor: Executor,
  results: FieldResults,
  type: GraphQLObjectType,
  source: unknown,
  path: Path,
  field: KeptField,
): unknown {
  const { definition, details, nodes, resolve } = field
  const { contextValue, variableValues, hideSuggestions } = executor.validatedExecutionArgs
  const info = infoOf(executor, type, path, field)
  try {
    const args = argumentValues(definition, nodes[0], variableValues, undefined, hideSuggestions)
    return completeField(executor, results, field, info, path, resolve(source, args, contextValue, info))
  } catch (error) {
    executor.handleFieldError(error, definition.type, details, path)
    return null
  }
}

/** Returns the value, or `undefined` if it is asynchronous: the results get it later. */
function completeField(
  executor: Executor,
  results: FieldResults,
  field: KeptField,
  info: Info,
  path: Path,
  result: unknown,
): unknown {
  const { definition, details, name } = field
  const { type } = definition
  const isPromised = isPromiseLike(result)
  const completed = isPromised ? result : executor.completeValue(type, details, info, path, result, undefined)
  if (!isPromised && !(completed instanceof Promise)) return completed
  const fail = (error: unknown): void => {
    try {
      executor.handleFieldError(error, type, details, path)
      results.set(name, null)
    } catch (located) {
      results.fail(located)
    }
  }
  const set = (value: unknown): void => results.set(name, value)
  const completeLater = (value: unknown): void => {
    try {
      if (executor.aborted) throw new Error('Aborted!')
      const later = executor.completeValue(type, details, info, path, value, undefined)
      if (later instanceof Promise) later.then(set, fail)
      else results.set(name, later)
    } catch (error) {
      fail(error)
    }
  }
  results.wait()
  const promise = completed instanceof Promise ? completed : Promise.resolve(completed)
  promise.then(isPromised ? completeLater : set, fail)
  return undefined
}

/** Returns the `info` of a resolver. Each request has its own list of nodes, because a resolver may change it. */
function infoOf(executor: Executor, parentType: GraphQLObjectType, path: Path, { definition, nodes }: KeptField): Info {
  const { schema, fragmentDefinitions, rootValue, operation, variableValues } = executor.validatedExecutionArgs
  return {
    fieldName: definition.name,
    fieldNodes: nodes.slice(),
    returnType: definition.type,
    parentType,
    path,
    schema,
    fragments: fragmentDefinitions,
    rootValue,
    operation,
    variableValues,
    getAbortSignal: executor.getAbortSignal,
    getAsyncHelpers: executor.getAsyncHelpers,
  } as Info
}

function isObjectLike(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}
