import {
  type DocumentNode,
  doTypesOverlap,
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isAbstractType,
  isCompositeType,
  isLeafType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { type JsonSchema, leafSchema, type ScalarSchemas } from './leaf-schema.ts'

export interface OutputSchemaParts {
  readonly schema: GraphQLSchema
  readonly scalars: ScalarSchemas
}

interface Walk extends OutputSchemaParts {
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

/**
 * Returns the schema of `data` of an operation: what its selections return, with closed objects.
 *
 * @throws TypeError for a custom scalar without a schema.
 */
export function outputSchema(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  parts: OutputSchemaParts,
): JsonSchema {
  const root = parts.schema.getRootType(operation.operation)
  if (!root) throw new TypeError(`the schema has no ${operation.operation}`)
  const fragments = document.definitions.flatMap((definition) =>
    definition.kind === Kind.FRAGMENT_DEFINITION ? [[definition.name.value, definition] as const] : [],
  )
  return objectSchema(root, [operation.selectionSet], { ...parts, fragments: new Map(fragments) })
}

/** The selections of one name in the response, which are merged. */
interface Selected {
  readonly nodes: FieldNode[]
  isConditional: boolean
}

function objectSchema(type: GraphQLObjectType, sets: readonly SelectionSetNode[], walk: Walk): JsonSchema {
  const selected = new Map<string, Selected>()
  for (const set of sets) collect(set, { type, walk, selected, isConditional: false })
  const properties = [...selected].map(([name, { nodes }]) => [name, fieldSchema(type, nodes, walk)] as const)
  const required = [...selected].filter(([, { isConditional }]) => !isConditional).map(([name]) => name)
  return {
    type: 'object',
    properties: Object.fromEntries(properties),
    ...(required.length > 0 && { required }),
    additionalProperties: false,
  }
}

interface Collecting {
  readonly type: GraphQLObjectType
  readonly walk: Walk
  readonly selected: Map<string, Selected>
  readonly isConditional: boolean
}

function collect({ selections }: SelectionSetNode, into: Collecting): void {
  const { type, walk, selected } = into
  for (const selection of selections) {
    const isConditional = into.isConditional || (selection.directives ?? []).some(isCondition)
    if (selection.kind === Kind.FIELD) {
      const name = (selection.alias ?? selection.name).value
      const known = selected.get(name) ?? { nodes: [], isConditional: true }
      known.nodes.push(selection)
      known.isConditional &&= isConditional
      selected.set(name, known)
      continue
    }
    const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : walk.fragments.get(selection.name.value)
    if (fragment && applies(fragment.typeCondition?.name.value, type, walk))
      collect(fragment.selectionSet, { ...into, isConditional })
  }
}

function isCondition({ name }: { readonly name: { readonly value: string } }): boolean {
  return name.value === 'skip' || name.value === 'include'
}

function applies(condition: string | undefined, type: GraphQLObjectType, { schema }: Walk): boolean {
  const found = condition === undefined ? type : schema.getType(condition)
  return isCompositeType(found) && doTypesOverlap(schema, found, type)
}

function fieldSchema(type: GraphQLObjectType, nodes: readonly FieldNode[], walk: Walk): JsonSchema {
  const [node] = nodes
  if (node?.name.value === '__typename') return { type: 'string', const: type.name }
  const field = type.getFields()[node?.name.value ?? '']
  if (!field) throw new TypeError(`"${type.name}.${node?.name.value}" cannot be part of a tool`)
  const { description } = field
  const found = valueSchema(
    field.type,
    nodes.flatMap(({ selectionSet }) => selectionSet ?? []),
    walk,
  )
  return description ? { ...found, description } : found
}

function valueSchema(type: GraphQLOutputType, sets: readonly SelectionSetNode[], walk: Walk): JsonSchema {
  return isNonNullType(type) ? presentSchema(type.ofType, sets, walk) : nullable(presentSchema(type, sets, walk))
}

function presentSchema(type: GraphQLOutputType, sets: readonly SelectionSetNode[], walk: Walk): JsonSchema {
  if (isNonNullType(type)) return presentSchema(type.ofType, sets, walk)
  if (isListType(type)) return { type: 'array', items: valueSchema(type.ofType, sets, walk) }
  if (isLeafType(type)) return leafSchema(type, walk.scalars)
  if (isObjectType(type)) return objectSchema(type, sets, walk)
  const possible = isAbstractType(type) ? walk.schema.getPossibleTypes(type) : []
  const schemas = new Map(
    possible.map((one) => {
      const schema = objectSchema(one, sets, walk)
      return [JSON.stringify(schema), schema] as const
    }),
  )
  const [only, ...others] = schemas.values()
  return only && others.length === 0 ? only : { anyOf: [...schemas.values()] }
}

function nullable(schema: JsonSchema): JsonSchema {
  const { type, enum: values } = schema
  if (typeof type !== 'string') return { anyOf: [schema, { type: 'null' }] }
  return { ...schema, type: [type, 'null'], ...(Array.isArray(values) && { enum: [...values, null] }) }
}
