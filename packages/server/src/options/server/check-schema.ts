import type { FlatOptions } from './flat-options.ts'

/** @throws TypeError unless exactly one of the forms is used. */
export function checkSchemaOptions({
  schema,
  rules,
  typeDefs,
  resolvers,
}: Pick<FlatOptions, 'schema' | 'rules' | 'typeDefs' | 'resolvers'>): void {
  if (schema === undefined && typeDefs === undefined) {
    throw new TypeError('"typeDefs" must be a text in the schema language, or "schema" a GraphQLSchema in place of it')
  }
  if (schema !== undefined && (typeDefs !== undefined || resolvers !== undefined)) {
    throw new TypeError('"schema" replaces "typeDefs" and "resolvers": use one or the others')
  }
  if (schema === undefined && rules !== undefined) {
    throw new TypeError('"graphql.rules" goes with "schema": in "typeDefs" each field has its rule as a directive')
  }
  if (rules !== undefined && (typeof rules !== 'object' || rules === null)) {
    throw new TypeError('"graphql.rules" must be an object of rules by coordinate')
  }
}
