import {
  type FieldNode,
  type GraphQLArgument,
  type GraphQLField,
  getArgumentValues,
  Kind,
  type ValueNode,
  type VariableValues,
} from 'graphql'

/** Arguments that say how many members of a list are wanted. */
const sizeArguments = ['first', 'last', 'limit']

/** How many members of a list a field asks for, by the name of the argument that says so. */
export type ListSizes = readonly (readonly [name: string, size: number])[]

export interface ReadListSizes {
  /** The sizes depend on these. */
  readonly hasVariables: boolean
  readonly read: (values: VariableValues | undefined) => ListSizes
}

/** Gives what reads the sizes as the executor will see them, defaults included; `null` where the field takes none. */
export function readListSizes(field: GraphQLField<unknown, unknown>, node: FieldNode): ReadListSizes | null {
  const args = field.args.filter(({ name }) => sizeArguments.includes(name))
  if (args.length === 0) return null
  const only = { names: new Set(args.map(({ name }) => name)), field: withArguments(field, args) }
  const hasVariables = (node.arguments ?? []).some(({ name, value }) => only.names.has(name.value) && isVariable(value))
  return {
    hasVariables,
    read: (values) => args.flatMap(({ name }) => sizeOf(name, valuesOf(only.field, node, values))),
  }
}

function isVariable({ kind }: ValueNode): boolean {
  return kind === Kind.VARIABLE
}

/** The other arguments do not matter here, and may have no value yet. */
function withArguments(
  field: GraphQLField<unknown, unknown>,
  args: readonly GraphQLArgument[],
): GraphQLField<unknown, unknown> {
  return Object.create(field, { args: { value: args } }) as typeof field
}

/** A value that the executor cannot use either: the field fails, and nothing below it runs. */
function valuesOf(
  field: GraphQLField<unknown, unknown>,
  node: FieldNode,
  values: VariableValues | undefined,
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
