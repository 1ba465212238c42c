import {
  type DirectiveNode,
  type DocumentNode,
  type FieldNode,
  type FragmentDefinitionNode,
  type FragmentSpreadNode,
  Kind,
  type OperationDefinitionNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { fragmentsOf } from './fragments-of.ts'

/** The size of a selection including its fragments. Sums saturate: `Infinity` is a size. */
export interface Size {
  readonly selections: number
  readonly aliases: number
  readonly directives: number
  readonly depth: number
}

export interface DocumentMeasure {
  readonly operations: readonly { readonly node: OperationDefinitionNode; readonly size: Size }[]
  readonly fragments: readonly { readonly node: FragmentDefinitionNode; readonly size: Size }[]
  readonly directivesPerLocation: number
  /** A spread that leads back to its own fragment. The sizes are then too small. */
  readonly circle: FragmentSpreadNode | null
}

interface Measuring {
  readonly definitions: ReadonlyMap<string, FragmentDefinitionNode>
  /** `null` during the measurement. */
  readonly known: Map<string, Size | null>
  directivesPerLocation: number
  circle: FragmentSpreadNode | null
}

const nothing: Size = { selections: 0, aliases: 0, directives: 0, depth: 0 }

/** Measures a parsed document before its validation. Linear: every fragment is measured once. */
export function measureDocument(document: DocumentNode): DocumentMeasure {
  const measuring: Measuring = {
    definitions: fragmentsOf(document),
    known: new Map(),
    directivesPerLocation: 0,
    circle: null,
  }
  const operations = document.definitions.flatMap((node) =>
    node.kind === Kind.OPERATION_DEFINITION ? [{ node, size: sizeOfOperation(measuring, node) }] : [],
  )
  const fragments = [...measuring.definitions.values()].map((node) => ({ node, size: sizeOfFragment(measuring, node) }))
  const { directivesPerLocation, circle } = measuring
  return { operations, fragments, directivesPerLocation, circle }
}

function sizeOfOperation(measuring: Measuring, node: OperationDefinitionNode): Size {
  const variables = (node.variableDefinitions ?? []).map(({ directives }) => sizeOfDirectives(measuring, directives))
  return [sizeOfDirectives(measuring, node.directives), ...variables].reduce(
    add,
    sizeOfSelections(measuring, node.selectionSet),
  )
}

function sizeOfFragment(measuring: Measuring, { name, directives, selectionSet }: FragmentDefinitionNode): Size {
  const known = measuring.known.get(name.value)
  if (known) return known
  measuring.known.set(name.value, null)
  const size = add(sizeOfDirectives(measuring, directives), sizeOfSelections(measuring, selectionSet))
  measuring.known.set(name.value, size)
  return size
}

function sizeOfSelections(measuring: Measuring, { selections }: SelectionSetNode): Size {
  return selections.reduce((sum, selection) => add(sum, sizeOfSelection(measuring, selection)), nothing)
}

function sizeOfSelection(measuring: Measuring, node: SelectionNode): Size {
  const own = { ...sizeOfDirectives(measuring, node.directives), selections: 1 }
  if (node.kind === Kind.FIELD) return sizeOfField(measuring, node, own)
  if (node.kind === Kind.INLINE_FRAGMENT) return add(own, sizeOfSelections(measuring, node.selectionSet))
  return add(own, sizeOfSpread(measuring, node))
}

function sizeOfField(measuring: Measuring, node: FieldNode, own: Size): Size {
  const below = node.selectionSet ? sizeOfSelections(measuring, node.selectionSet) : nothing
  const isIntrospection = node.name.value === '__schema' || node.name.value === '__type'
  const sum = add({ ...own, aliases: node.alias ? 1 : 0 }, below)
  return { ...sum, depth: isIntrospection ? 1 : 1 + below.depth }
}

function sizeOfSpread(measuring: Measuring, node: FragmentSpreadNode): Size {
  const fragment = measuring.definitions.get(node.name.value)
  if (!fragment) return nothing
  if (measuring.known.get(node.name.value) === null) {
    measuring.circle ??= node
    return nothing
  }
  return sizeOfFragment(measuring, fragment)
}

function sizeOfDirectives(measuring: Measuring, directives: readonly DirectiveNode[] = []): Size {
  measuring.directivesPerLocation = Math.max(measuring.directivesPerLocation, directives.length)
  return directives.length === 0 ? nothing : { ...nothing, directives: directives.length }
}

function add(one: Size, other: Size): Size {
  return {
    selections: one.selections + other.selections,
    aliases: one.aliases + other.aliases,
    directives: one.directives + other.directives,
    depth: Math.max(one.depth, other.depth),
  }
}
