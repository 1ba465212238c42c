import {
  buildASTSchema,
  type ConstValueNode,
  type GraphQLInputType,
  type GraphQLNamedInputType,
  type GraphQLSchema,
  getNamedType,
  isInputObjectType,
  isInterfaceType,
  isObjectType,
  valueFromAST,
} from 'graphql'
import { attachResolvers, type ResolversOfTypes } from './attach-resolvers.ts'
import { mergeDefinitions } from './merge-definitions.ts'

/**
 * Builds a schema from texts in the schema language and its resolvers. Several texts may define parts of the same type.
 *
 * @throws Error that names the problem.
 */
export function buildSchemaText(texts: readonly string[], resolvers: readonly ResolversOfTypes[]): GraphQLSchema {
  const schema = buildASTSchema(mergeDefinitions(texts))
  attachResolvers(schema, resolvers)
  readDefaultsAgain(schema)
  return schema
}

interface Defaulted {
  readonly type: GraphQLInputType
  readonly astNode?: { readonly defaultValue?: ConstValueNode | undefined } | null | undefined
  defaultValue?: unknown
}

/** graphql 16 reads defaults when it builds a type: before it is known what the values of enums and scalars mean. */
function readDefaultsAgain(schema: GraphQLSchema): void {
  const seen = new Set<GraphQLNamedInputType>()
  // The default of an input object includes the defaults of its fields, so they come first.
  const readAgain = (input: Defaulted): void => {
    const type = getNamedType(input.type)
    if (isInputObjectType(type) && !seen.has(type)) {
      seen.add(type)
      Object.values(type.getFields()).forEach(readAgain)
    }
    if (input.defaultValue !== undefined && input.astNode?.defaultValue)
      input.defaultValue = valueFromAST(input.astNode.defaultValue, input.type)
  }
  for (const { args } of schema.getDirectives()) args.forEach(readAgain)
  for (const type of Object.values(schema.getTypeMap())) {
    if (isInputObjectType(type)) Object.values(type.getFields()).forEach(readAgain)
    else if (isObjectType(type) || isInterfaceType(type))
      for (const { args } of Object.values(type.getFields())) args.forEach(readAgain)
  }
}
