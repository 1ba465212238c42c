import { type GraphQLLeafType, isEnumType } from 'graphql'

/** A JSON Schema (2020-12). */
export type JsonSchema = Readonly<Record<string, unknown>>

/** The schemas of custom scalars, by the names of these. */
export type ScalarSchemas = Readonly<Record<string, JsonSchema>>

const builtIn: ScalarSchemas = {
  ID: { type: 'string' },
  String: { type: 'string' },
  Int: { type: 'integer' },
  Float: { type: 'number' },
  Boolean: { type: 'boolean' },
}

/** @throws TypeError for a custom scalar without a schema. */
export function leafSchema(type: GraphQLLeafType, scalars: ScalarSchemas): JsonSchema {
  if (isEnumType(type)) return { type: 'string', enum: type.getValues().map(({ name }) => name) }
  const known = Object.hasOwn(scalars, type.name) ? scalars[type.name] : builtIn[type.name]
  if (!known) throw new TypeError(`the scalar "${type.name}" has no JSON Schema: add one to "scalars"`)
  return known
}
