import {
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  type InlineFragmentNode,
  isAbstractType,
  isListType,
  isNonNullType,
  isObjectType,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { fragmentsOf } from '../documents/fragments-of.ts'

/** The code of an operation grows with every type that a value may have: what would be long is not worth compiling. */
const fieldsAtMost = 1000

interface Walk {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
  /** What `graphql-jit` calls the information of each field: two of one name would get each other's. */
  readonly names: Set<string>
  /** An operation that has an effect is never executed twice, whatever a type turns out to be. */
  readonly isEffect: boolean
}

/** Whether `graphql-jit` executes an operation exactly as `graphql` does, at a reasonable length. */
export function isCompilable(
  schema: GraphQLSchema,
  document: DocumentNode,
  operation: OperationDefinitionNode,
): boolean {
  const root = schema.getRootType(operation.operation)
  if (!root || operation.operation === 'subscription') return false
  const walk: Walk = {
    schema,
    fragments: fragmentsOf(document),
    names: new Set(),
    isEffect: operation.operation === 'mutation',
  }
  return walkObject(walk, root, [operation.selectionSet], '', 0)
}

function walkObject(
  walk: Walk,
  type: GraphQLObjectType,
  sets: readonly SelectionSetNode[],
  suffix: string,
  lists: number,
): boolean {
  const fields = new Map<string, FieldNode[]>()
  if (type.isTypeOf) return false
  for (const set of sets) collect(walk, type, set, fields, new Set())
  // As a name in the code of an object it is the object's prototype.
  if (fields.has('__proto__')) return false
  for (const [key, nodes] of fields) {
    const [node] = nodes
    const field = node && walk.schema.getField(type, node.name.value)
    if (!field) return false
    const name = `${key}_${suffix}`
    if (walk.names.has(name) || walk.names.size >= fieldsAtMost) return false
    walk.names.add(name)
    const below = nodes.flatMap(({ selectionSet }) => selectionSet ?? [])
    if (!walkOutput(walk, field.type, below, name, lists)) return false
  }
  return true
}

function walkOutput(
  walk: Walk,
  type: GraphQLOutputType,
  sets: readonly SelectionSetNode[],
  suffix: string,
  lists: number,
): boolean {
  if (isNonNullType(type)) return walkOutput(walk, type.ofType, sets, suffix, lists)
  if (isListType(type)) return walkOutput(walk, type.ofType, sets, `idx${lists + 1}_${suffix}`, lists + 1)
  if (isObjectType(type)) return walkObject(walk, type, sets, suffix, lists)
  if (!isAbstractType(type)) return true
  if (walk.isEffect) return false
  return walk.schema.getPossibleTypes(type).every((one) => walkObject(walk, one, sets, `${one.name}_${suffix}`, lists))
}

type Fields = Map<string, FieldNode[]>

/** Conditions are not looked at: what they leave out is compiled, too. */
function collect(walk: Walk, type: GraphQLObjectType, set: SelectionSetNode, fields: Fields, seen: Set<string>): void {
  for (const selection of set.selections) {
    if (selection.kind === Kind.FIELD) {
      const key = (selection.alias ?? selection.name).value
      fields.set(key, [...(fields.get(key) ?? []), selection])
    } else {
      const fragment = selection.kind === Kind.INLINE_FRAGMENT ? selection : spreadOnce(walk, selection, seen)
      if (fragment && isMet(walk, type, fragment)) collect(walk, type, fragment.selectionSet, fields, seen)
    }
  }
}

function spreadOnce(walk: Walk, { name }: FragmentSpreadNode, seen: Set<string>): FragmentDefinitionNode | undefined {
  if (seen.has(name.value)) return undefined
  seen.add(name.value)
  return walk.fragments.get(name.value)
}

function isMet({ schema }: Walk, type: GraphQLObjectType, { typeCondition }: Fragment): boolean {
  const condition = typeCondition && schema.getType(typeCondition.name.value)
  return !condition || condition === type || (isAbstractType(condition) && schema.isSubType(condition, type))
}

type Fragment = FragmentDefinitionNode | InlineFragmentNode
