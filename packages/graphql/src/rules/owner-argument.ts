import type { OwnerRule } from '@latchkey/rbac'
import {
  type GraphQLField,
  type GraphQLInputType,
  getNamedType,
  getNullableType,
  isInputObjectType,
  isScalarType,
} from 'graphql'

/** Returns the problem of an owner rule's path into the arguments of a field; `null` if the path is valid. */
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

/** Follows only input objects: a list has several values. */
function step(type: GraphQLInputType | null, name: string): GraphQLInputType | null {
  const nullable = type && getNullableType(type)
  if (!isInputObjectType(nullable)) return null
  const fields = nullable.getFields()
  return Object.hasOwn(fields, name) ? (fields[name]?.type ?? null) : null
}

/**
 * Returns the ids in coerced arguments, at least one, or `null` if there is no id or an invalid id. All ids of a list
 * must be owned. An empty list has no id.
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
