import type { OwnerRule } from '@latchkey/rbac'
import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isScalarType,
} from 'graphql'

/** Returns what is wrong with the path of an owner rule into a field's arguments; `null`: nothing. */
export function ownerArgumentProblem(field: GraphQLField<unknown, unknown>, { argument }: OwnerRule): string | null {
  if (!argument) return null
  const [name = '', ...path] = argument
  const first = field.args.find((candidate) => candidate.name === name)
  if (!first) return `the owner rule names the argument "${name}", which the field does not have`
  const leaf = path.reduce<GraphQLInputType | null>(step, first.type)
  if (!leaf) return `the owner rule names "${argument.join('.')}", which the input type does not have`
  if (!isScalarType(getNamedType(leaf))) return `the owner rule names "${argument.join('.')}", which is not an id`
  return null
}

/** Only through input objects: a list in the middle has no one value. */
function step(type: GraphQLInputType | null, name: string): GraphQLInputType | null {
  const nullable = type && getNullableType(type)
  if (!isInputObjectType(nullable)) return null
  const fields = nullable.getFields()
  return Object.hasOwn(fields, name) ? (fields[name]?.type ?? null) : null
}

/**
 * Returns the ids that coerced arguments name, at least one, or `null` when there is none or one that is not an id. A list
 * names all of its members, which must then all be owned; an empty one names none.
 */
export function readOwnedIds(values: Readonly<Record<string, unknown>>, argument: readonly string[]): string[] | null {
  let value: unknown = values
  for (const name of argument) value = isRecord(value) ? value[name] : null
  const ids = (Array.isArray(value) ? value.flat(Number.POSITIVE_INFINITY) : [value]).map(idOf)
  return ids.length > 0 && ids.every((id) => id !== null) ? ids : null
}

function idOf(value: unknown): string | null {
  if (typeof value === 'string') return value
  return typeof value === 'number' || typeof value === 'bigint' ? String(value) : null
}

function isRecord(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null
}
