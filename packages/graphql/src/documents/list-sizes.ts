import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  getArgumentValues,
  isNonNullType,
  Kind,
  type ValueNode,
} from 'graphql'
import { type ExecutorVariables, readVariable } from './coerce-variables.ts'

/** Arguments with the size of a list. */
const sizeArguments = ['first', 'last', 'limit']

/** Requested list sizes of a field, by the name of the argument. */
export type ListSizes = readonly (readonly [name: string, size: number])[]

export interface ReadListSizes {
  /** Whether the sizes depend on variables. */
  readonly hasVariables: boolean
  readonly read: (values: ExecutorVariables | undefined) => ListSizes
}

type Field = GraphQLField<unknown, unknown>

/**
 * Returns a reader of the sizes that `execute` will see, including defaults; `null` if the field has no size argument.
 *
 * @param fields the fields that may be executed. Their own arguments and defaults count, not the arguments of the
 * interface.
 */
export function readListSizes(fields: readonly Field[], node: FieldNode): ReadListSizes | null {
  const [field] = fields
  const args = sizeArguments.flatMap((name) => largestOf(fields.flatMap((one) => argumentOf(one, name))))
  if (!field || args.length === 0) return null
  const given = new Map((node.arguments ?? []).map(({ name, value }) => [name.value, value]))
  const hasVariables = args.some(({ name }) => isVariable(given.get(name)))
  if (args.some(({ name }) => isNested(given.get(name)))) {
    const only = withArguments(field, args)
    const read = (values: ExecutorVariables | undefined): ListSizes => {
      const found = valuesOf(only, node, values)
      return args.flatMap(({ name }) => sizeOf(name, found))
    }
    return { hasVariables, read }
  }
  const readers = args.map((argument) => readerOf(field, node, argument, given.get(argument.name)))
  if (hasVariables) return { hasVariables, read: (values) => readAll(readers, values) }
  const sizes = readAll(readers, undefined)
  return { hasVariables, read: () => sizes }
}

interface SizeReader {
  readonly name: string
  /** The variable of the argument; `null`: the value is always the same. */
  readonly variable: string | null
  /** Whether the executor cannot use `null`. */
  readonly isRequired: boolean
  /** The value in the document, or the default. */
  readonly value: unknown
}

const unusable = Symbol('the executor cannot use it')

/**
 * Computes once the part of `getArgumentValues` that is the same for each request; variables were coerced with the
 * operation.
 */
function readerOf(field: Field, node: FieldNode, argument: GraphQLArgument, given: ValueNode | undefined): SizeReader {
  const { name, type } = argument
  const isRequired = isNonNullType(type)
  const only = withArguments(field, [argument])
  if (given?.kind !== Kind.VARIABLE) {
    return { name, variable: null, isRequired, value: readOnly(only, node, name) }
  }
  return { name, variable: given.name.value, isRequired, value: readOnly(only, nothingGiven, name) }
}

/** `undefined`: the argument has no value and needs none. */
function readOnly(field: Field, node: FieldNode, name: string): unknown {
  try {
    return getArgumentValues(field, node, undefined)[name]
  } catch {
    return unusable
  }
}

/** If the executor cannot use a value, the field fails and the fields below it do not run. */
function readAll(readers: readonly SizeReader[], values: ExecutorVariables | undefined): ListSizes {
  const sizes: (readonly [name: string, size: number])[] = []
  for (const reader of readers) {
    const { name } = reader
    const found = sizeGiven(reader, values)
    if (found === unusable) return []
    if (typeof found === 'number' || typeof found === 'bigint') sizes.push([name, Number(found)])
  }
  return sizes
}

/** A variable without a value leaves the default; `null` replaces it. */
function sizeGiven({ variable, isRequired, value }: SizeReader, values: ExecutorVariables | undefined): unknown {
  const given = variable === null || !values ? undefined : readVariable(values, variable)
  if (given === undefined) return value
  return given === null && isRequired ? unusable : given
}

/** The executed field is not known yet, so the largest default is the maximum. */
function largestOf(args: readonly SizeArgument[]): readonly GraphQLArgument[] {
  const [largest] = args.toSorted((one, other) => other.size - one.size)
  return largest ? [largest.argument] : []
}

interface SizeArgument {
  readonly argument: GraphQLArgument
  readonly size: number
}

/** By field: a field is the same object as long as its schema exists. */
const known = new WeakMap<Field, ReadonlyMap<string, SizeArgument>>()

function argumentOf(field: Field, name: string): readonly SizeArgument[] {
  const found = known.get(field) ?? new Map(field.args.flatMap((argument) => sizeArgument(field, argument)))
  known.set(field, found)
  const argument = found.get(name)
  return argument ? [argument] : []
}

const nothingGiven = { kind: Kind.FIELD, name: { kind: Kind.NAME, value: '' } } as const

function sizeArgument(field: Field, argument: GraphQLArgument): readonly [string, SizeArgument][] {
  const { name } = argument
  if (!sizeArguments.includes(name)) return []
  const [[, size] = [name, Number.NEGATIVE_INFINITY]] = sizeOf(
    name,
    valuesOf(withArguments(field, [argument]), nothingGiven, undefined),
  )
  return [[name, { argument, size }]]
}

function isVariable(value: ValueNode | undefined): boolean {
  return value?.kind === Kind.VARIABLE
}

/** A custom scalar may read variables in lists and objects. */
function isNested(value: ValueNode | undefined): boolean {
  return value?.kind === Kind.LIST || value?.kind === Kind.OBJECT
}

/** The other arguments do not matter, and may have no value yet. */
function withArguments(field: Field, args: readonly GraphQLArgument[]): Field {
  return Object.create(field, { args: { value: args } }) as typeof field
}

/** Returns no values if the executor cannot use them: the field fails and the fields below it do not run. */
function valuesOf(
  field: Field,
  node: FieldNode,
  values: ExecutorVariables | undefined,
): Readonly<Record<string, unknown>> {
  try {
    return getArgumentValues(field, node, values)
  } catch {
    return {}
  }
}

function sizeOf(name: string, values: Readonly<Record<string, unknown>>): ListSizes {
  const { [name]: value } = values
  return typeof value === 'number' || typeof value === 'bigint' ? [[name, Number(value)]] : []
}
