import {
  type GraphQLInputObjectType,
  type GraphQLInputType,
  type GraphQLSchema,
  isInputObjectType,
  isInputType,
  isListType,
  isNonNullType,
  isRequiredInputField,
  type OperationDefinitionNode,
  typeFromAST,
  valueFromASTUntyped,
} from 'graphql'
import { type JsonSchema, leafSchema, type ScalarSchemas } from './leaf-schema.ts'

export interface InputSchemaParts {
  readonly schema: GraphQLSchema
  readonly scalars: ScalarSchemas
  /** The uses of a variable in the document. */
  readonly uses: ReadonlyMap<string, JsonSchema>
}

interface Definitions {
  readonly scalars: ScalarSchemas
  /** Of input objects, by name: one can contain itself. */
  readonly known: Map<string, JsonSchema | null>
}

/**
 * Returns the schema of the variables of an operation: a closed object.
 *
 * @throws TypeError for a custom scalar without a schema.
 */
export function inputSchema(
  { variableDefinitions = [] }: OperationDefinitionNode,
  { schema, scalars, uses }: InputSchemaParts,
): JsonSchema {
  const definitions: Definitions = { scalars, known: new Map() }
  const properties = variableDefinitions.map(({ variable, type: node, defaultValue }) => {
    const name = variable.name.value
    const type = typeFromAST(schema, node as never) as GraphQLInputType
    const written = defaultValue && { default: valueFromASTUntyped(defaultValue) }
    return {
      name,
      isRequired: isNonNullType(type) && !written,
      schema: { ...schemaOf(type, definitions), ...uses.get(name), ...written },
    }
  })
  const required = properties.filter(({ isRequired }) => isRequired).map(({ name }) => name)
  return {
    ...closedObject(Object.fromEntries(properties.map((property) => [property.name, property.schema])), required),
    ...(definitions.known.size > 0 && { $defs: Object.fromEntries(definitions.known) }),
  }
}

function schemaOf(type: GraphQLInputType, definitions: Definitions): JsonSchema {
  if (isNonNullType(type)) return schemaOf(type.ofType, definitions)
  if (isListType(type))
    return { type: 'array', items: isInputType(type.ofType) ? schemaOf(type.ofType, definitions) : {} }
  return isInputObjectType(type) ? referTo(type, definitions) : leafSchema(type, definitions.scalars)
}

function referTo(type: GraphQLInputObjectType, definitions: Definitions): JsonSchema {
  const { known } = definitions
  if (!known.has(type.name)) {
    known.set(type.name, null)
    known.set(type.name, objectSchema(type, definitions))
  }
  return { $ref: `#/$defs/${type.name}` }
}

function objectSchema(type: GraphQLInputObjectType, definitions: Definitions): JsonSchema {
  const fields = Object.values(type.getFields())
  const properties = fields.map(({ name, description, type: fieldType }) => {
    const described = description ? { description } : {}
    return [name, { ...schemaOf(fieldType, definitions), ...described }] as const
  })
  const required = fields.filter(isRequiredInputField).map(({ name }) => name)
  const exactlyOne = type.isOneOf ? { minProperties: 1, maxProperties: 1 } : {}
  return { ...closedObject(Object.fromEntries(properties), required), ...exactlyOne }
}

function closedObject(properties: Readonly<Record<string, JsonSchema>>, required: readonly string[]): JsonSchema {
  return { type: 'object', properties, ...(required.length > 0 && { required }), additionalProperties: false }
}
