import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  getArgumentValues,
  Kind,
  type ValueNode,
} from 'graphql'
import type { ExecutorVariables } from './coerce-variables.ts'

/** Arguments that say how many members of a list are wanted. */
const sizeArguments = ['first', 'last', 'limit']

/** How many members of a list a field asks for, by the name of the argument that says so. */
export type ListSizes = readonly (readonly [name: string, size: number])[]

export interface ReadListSizes {
  /** The sizes depend on these. */
  readonly hasVariables: boolean
  readonly read: (values: ExecutorVariables | undefined) => ListSizes
}

type Field = GraphQLField<unknown, unknown>

/**
 * Returns a reader of the sizes as `execute` will see them, defaults included; `null` where the field takes none.
 *
 * @param fields those that may be executed: an object's own arguments and defaults count, not those of the interface
 * that it is asked through.
 */
export function readListSizes(fields: readonly Field[], node: FieldNode): ReadListSizes | null {
  const [field] = fields
  const args = sizeArguments.flatMap((name) => largestOf(fields.flatMap((one) => argumentOf(one, name))))
  if (!field || args.length === 0) return null
  const only = { names: new Set(args.map(({ name }) => name)), field: withArguments(field, args) }
  const hasVariables = (node.arguments ?? []).some(({ name, value }) => only.names.has(name.value) && isVariable(value))
  return {
    hasVariables,
    read(values) {
      const given = valuesOf(only.field, node, values)
      return args.flatMap(({ name }) => sizeOf(name, given))
    },
  }
}

/** Which of the fields is executed is not known yet: the largest default is the most it can be. */
function largestOf(args: readonly SizeArgument[]): readonly GraphQLArgument[] {
  const [largest] = args.toSorted((one, other) => other.size - one.size)
  return largest ? [largest.argument] : []
}

interface SizeArgument {
  readonly argument: GraphQLArgument
  readonly size: number
}

/** By field, which is one object for as long as its schema exists. */
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

function isVariable({ kind }: ValueNode): boolean {
  return kind === Kind.VARIABLE
}

/** The other arguments do not matter here, and may have no value yet. */
function withArguments(field: Field, args: readonly GraphQLArgument[]): Field {
  return Object.create(field, { args: { value: args } }) as typeof field
}

/** A value that the executor cannot use either: the field fails, and nothing below it runs. */
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
