import {
  type DocumentNode,
  type GraphQLSchema,
  getNullableType,
  Kind,
  TypeInfo,
  visit,
  visitWithTypeInfo,
} from 'graphql'
import type { JsonSchema } from './leaf-schema.ts'

const sizeArguments = ['first', 'last', 'limit']

/** Returns what the arguments that get a variable say of it: the description, and the bounds of a size of a list. */
export function readVariableUses(
  document: DocumentNode,
  schema: GraphQLSchema,
  pageSize: number,
): ReadonlyMap<string, JsonSchema> {
  const uses = new Map<string, JsonSchema>()
  const types = new TypeInfo(schema)
  const visitor = visitWithTypeInfo(types, {
    Argument({ value, name }) {
      const argument = types.getArgument()
      if (value.kind !== Kind.VARIABLE || !argument) return
      const isSize = sizeArguments.includes(name.value) && String(getNullableType(argument.type)) === 'Int'
      uses.set(value.name.value, {
        ...(argument.description && { description: argument.description }),
        ...uses.get(value.name.value),
        ...(isSize && { minimum: 0, maximum: pageSize }),
      })
    },
  })
  visit(document, visitor)
  return uses
}
