import {
  type FieldNode,
  type FragmentDefinitionNode,
  type GraphQLNamedType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLSchema,
  isInterfaceType,
  isObjectType,
  Kind,
  type SelectionSetNode,
} from 'graphql'

/**
 * The objects that a field can belong to: the type conditions above it, as far as they separate fields of one response
 * path. Equal conditions are the same object.
 */
export interface Place {
  readonly above: Place | null
  /** `null`: an abstract type. */
  readonly type: GraphQLObjectType | null
  /** Whether there is an abstract type above. */
  readonly isOpen: boolean
}

/** One field of the document in one place. */
export interface MergedField {
  readonly node: FieldNode
  /** `null` for meta fields and for fields below `__schema` and `__type`, as in GraphQL's own rule. */
  readonly type: GraphQLOutputType | null
  readonly place: Place
}

/** Selections that are merged into one object of the response. */
export interface MergedSelections {
  readonly selectionSet: SelectionSetNode
  readonly parent: GraphQLNamedType | null
  readonly place: Place
}

export interface MergeInput {
  readonly schema: GraphQLSchema
  readonly fragments: ReadonlyMap<string, FragmentDefinitionNode>
}

interface FoundField extends MergedField {
  readonly parent: GraphQLNamedType | null
}

/** Returns the fields of one object of the response by their response name. Each selection set is walked once per place. */
export function mergeFields(
  merged: readonly MergedSelections[],
  input: MergeInput,
): readonly (readonly MergedField[])[] {
  const byName = new Map<string, FoundField[]>()
  const waiting = [...merged]
  const walked = new Map<Place, Set<SelectionSetNode>>()
  for (const { selectionSet, parent, place } of waiting) {
    const known = walked.get(place) ?? new Set()
    walked.set(place, known)
    if (known.has(selectionSet)) continue
    known.add(selectionSet)
    for (const selection of selectionSet.selections) {
      if (selection.kind === Kind.FIELD) addField(byName, selection, parent, place)
      else waiting.push(...fragmentSelections(selection, parent, place, input))
    }
  }
  return [...byName.values()].map(tellApart)
}

function addField(
  byName: Map<string, FoundField[]>,
  node: FieldNode,
  parent: GraphQLNamedType | null,
  place: Place,
): void {
  const key = (node.alias ?? node.name).value
  const fields = byName.get(key)
  const found = { node, parent, place, type: typeOf(parent, node) }
  if (fields) fields.push(found)
  else byName.set(key, [found])
}

function typeOf(parent: GraphQLNamedType | null, node: FieldNode): GraphQLOutputType | null {
  const fields = isObjectType(parent) || isInterfaceType(parent) ? parent.getFields() : {}
  return fields[node.name.value]?.type ?? null
}

function fragmentSelections(
  node: Exclude<SelectionSetNode['selections'][number], FieldNode>,
  parent: GraphQLNamedType | null,
  place: Place,
  { schema, fragments }: MergeInput,
): readonly MergedSelections[] {
  const fragment = node.kind === Kind.INLINE_FRAGMENT ? node : fragments.get(node.name.value)
  if (!fragment) return []
  const { selectionSet, typeCondition } = fragment
  return [{ selectionSet, place, parent: typeCondition ? (schema.getType(typeCondition.name.value) ?? null) : parent }]
}

/**
 * Separates fields by their types. If all fields of a name have the same type, their places stay equal: most documents
 * have one place.
 */
function tellApart(fields: readonly FoundField[]): readonly MergedField[] {
  const types = new Set(fields.map(({ parent }) => (isObjectType(parent) ? parent : null)))
  if (types.size === 1) return fields
  const places = new Map<Place, Map<GraphQLObjectType | null, Place>>()
  return fields.map(({ node, parent, place, type }) => {
    const below = places.get(place) ?? new Map<GraphQLObjectType | null, Place>()
    places.set(place, below)
    const met = isObjectType(parent) ? parent : null
    const narrowed = below.get(met) ?? { above: place, type: met, isOpen: place.isOpen || met === null }
    below.set(met, narrowed)
    return { node, type, place: narrowed }
  })
}

/** Whether one object can be in both places. Both must belong to one response path. */
export function canMeet(one: Place, other: Place): boolean {
  let [a, b]: [Place | null, Place | null] = [one, other]
  while (a && b && a !== b) {
    if (a.type && b.type && a.type !== b.type) return false
    a = a.above
    b = b.above
  }
  return true
}
