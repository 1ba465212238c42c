import {
  type ArgumentNode,
  type DocumentNode,
  type FieldNode,
  GraphQLError,
  type GraphQLOutputType,
  type GraphQLSchema,
  getNamedType,
  isLeafType,
  isListType,
  isNonNullType,
  Kind,
  type ObjectFieldNode,
  type OperationDefinitionNode,
  type ValueNode,
} from 'graphql'
import { fragmentsOf } from './fragments-of.ts'
import { canMeet, type MergedField, type MergedSelections, mergeFields, type Place } from './merged-fields.ts'

export interface OverlapOptions {
  readonly schema: GraphQLSchema
  readonly document: DocumentNode
  readonly operation: OperationDefinitionNode
  /** Whether messages name the types of fields. */
  readonly areTypesTold: boolean
  /** The maximum number of reported conflicts in an object. */
  readonly errorsAtMost: number
  /** The maximum number of compared pairs of places. */
  readonly comparisonsAtMost: number
}

export interface OverlapVerdict {
  readonly errors: readonly GraphQLError[]
  /** More comparisons were necessary than allowed: the verdict is unknown. */
  readonly isExceeded: boolean
}

/**
 * Finds fields that cannot be merged (GraphQL §5.3.2), with the same verdict as GraphQL's own rule for documents that
 * are valid otherwise. That rule compares fields in pairs; this function walks the response once and compares each
 * field with one other. Only different fields with the same name, in objects of different types, are compared by their
 * places.
 */
export function findOverlaps(options: OverlapOptions): OverlapVerdict {
  const { schema, document, operation, errorsAtMost } = options
  const { areTypesTold, comparisonsAtMost: comparisonsLeft } = options
  const comparing: Comparing = { texts: new Map(), areTypesTold, comparisonsLeft }
  const input = { schema, fragments: fragmentsOf(document) }
  const parent = schema.getRootType(operation.operation) ?? null
  const root = { selectionSet: operation.selectionSet, parent, place: { above: null, type: null, isOpen: false } }
  const waiting: (readonly MergedSelections[])[] = [[root]]
  for (const merged of waiting) {
    const found = mergeFields(merged, input)
    const conflicts = found.flatMap((fields) => findConflict(fields, comparing) ?? [])
    if (comparing.comparisonsLeft < 0) return { errors: [], isExceeded: true }
    if (conflicts.length > 0) return { errors: conflicts.slice(0, errorsAtMost).map(describe), isExceeded: false }
    waiting.push(...found.map((fields) => fields.flatMap(selectionsBelow)).filter((below) => below.length > 0))
  }
  return { errors: [], isExceeded: false }
}

interface Comparing extends Pick<OverlapOptions, 'areTypesTold'> {
  readonly texts: Map<MergedField['node'], string>
  comparisonsLeft: number
}

interface Conflict {
  readonly one: MergedField
  readonly other: MergedField
  readonly reason: string
}

function selectionsBelow({ node: { selectionSet }, type, place }: MergedField): readonly MergedSelections[] {
  return selectionSet ? [{ selectionSet, place, parent: type && getNamedType(type) }] : []
}

function findConflict(fields: readonly MergedField[], comparing: Comparing): Conflict | null {
  const [first] = fields
  if (!first || fields.every(({ node }) => node === first.node)) return null
  return findOtherShape(fields, comparing) ?? findStream(fields, first) ?? findOtherField(fields, first, comparing)
}

/** Equality of shapes is transitive: one comparison for each field. */
function findOtherShape(fields: readonly MergedField[], { areTypesTold }: Comparing): Conflict | null {
  const one = fields.find(({ type }) => type !== null)
  const other = fields.find(({ type }) => one?.type && type && !haveOneShape(one.type, type))
  if (!one || !other) return null
  const types = areTypesTold ? ` "${one.type}" and "${other.type}"` : ''
  return { one, other, reason: `they return conflicting types${types}` }
}

function haveOneShape(one: GraphQLOutputType, other: GraphQLOutputType): boolean {
  if (one === other) return true
  if (isListType(one) || isListType(other))
    return isListType(one) && isListType(other) && haveOneShape(one.ofType, other.ofType)
  if (isNonNullType(one) || isNonNullType(other))
    return isNonNullType(one) && isNonNullType(other) && haveOneShape(one.ofType, other.ofType)
  return !isLeafType(one) && !isLeafType(other)
}

/** A streamed list cannot be merged with another field. */
function findStream(fields: readonly MergedField[], first: MergedField): Conflict | null {
  const one = fields.find(({ node }) => node.directives?.some(({ name }) => name.value === 'stream'))
  if (!one) return null
  const other = fields.find(({ node }) => node !== one.node) ?? first
  return { one, other, reason: 'they have overlapping stream directives' }
}

function findOtherField(fields: readonly MergedField[], first: MergedField, comparing: Comparing): Conflict | null {
  const textOf = ({ node }: MergedField): string => {
    const text = comparing.texts.get(node) ?? fieldText(node)
    comparing.texts.set(node, text)
    return text
  }
  const text = textOf(first)
  if (fields.every((field) => textOf(field) === text)) return null
  const byPlace = new Map<Place, MergedField>()
  for (const other of fields) {
    const one = byPlace.get(other.place) ?? other
    if (textOf(one) !== textOf(other)) return { one, other, reason: differenceOf(one, other) }
    byPlace.set(other.place, one)
  }
  return findInPlaces([...byPlace.values()], textOf, comparing)
}

/** Two places without an abstract type above are different types, and never meet. */
function findInPlaces(
  fields: readonly MergedField[],
  textOf: (field: MergedField) => string,
  comparing: Comparing,
): Conflict | null {
  for (const one of fields) {
    if (!one.place.isOpen) continue
    comparing.comparisonsLeft -= fields.length
    if (comparing.comparisonsLeft < 0) return null
    const text = textOf(one)
    const other = fields.find((field) => canMeet(one.place, field.place) && textOf(field) !== text)
    if (other) return { one, other, reason: differenceOf(one, other) }
  }
  return null
}

function differenceOf({ node: one }: MergedField, { node: other }: MergedField): string {
  return one.name.value === other.name.value
    ? 'they have differing arguments'
    : `"${one.name.value}" and "${other.name.value}" are different fields`
}

function describe({ one, other, reason }: Conflict): GraphQLError {
  const name = (one.node.alias ?? one.node.name).value
  return new GraphQLError(
    `Fields "${name}" conflict because ${reason}. Use different aliases on the fields to fetch both if this was intentional.`,
    { nodes: [one.node, other.node] },
  )
}

/** A field with its arguments, in a fixed order: equal texts are equal fields. */
function fieldText({ name, arguments: given = [] }: FieldNode): string {
  return `${name.value}(${textOf(given)})`
}

function textOf(named: readonly (ArgumentNode | ObjectFieldNode)[]): string {
  return named
    .map(({ name, value }) => `${name.value}:${valueText(value)}`)
    .sort()
    .join()
}

/** A block string differs from a string of the same value, as in GraphQL's own rule. */
function valueText(node: ValueNode): string {
  switch (node.kind) {
    case Kind.VARIABLE:
      return `$${node.name.value}`
    case Kind.NULL:
      return 'null'
    case Kind.LIST:
      return `[${node.values.map(valueText).join()}]`
    case Kind.OBJECT:
      return `{${textOf(node.fields)}}`
    case Kind.STRING:
      return `${node.block ? 'block' : ''}${JSON.stringify(node.value)}`
    default:
      return String(node.value)
  }
}
