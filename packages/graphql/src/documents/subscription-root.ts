import {
  type DocumentNode,
  GraphQLError,
  Kind,
  OperationTypeNode,
  type SelectionNode,
  type SelectionSetNode,
} from 'graphql'
import { fragmentsOf } from './fragments-of.ts'

/**
 * Finds conditions at the root of a subscription: a subscription has one field for all variables (GraphQL of
 * September 2025, Single Root Field). `graphql` 17 has this rule; 16 fails when it validates such a document or
 * subscribes.
 */
export function findRootConditions(document: DocumentNode): readonly GraphQLError[] {
  const fragments = fragmentsOf(document)
  return document.definitions.flatMap((definition) => {
    if (definition.kind !== Kind.OPERATION_DEFINITION || definition.operation !== OperationTypeNode.SUBSCRIPTION)
      return []
    const nodes = rootSelections(definition.selectionSet, fragments).flatMap(conditionsOf)
    const message = 'The root field of a subscription cannot have "@skip" or "@include".'
    return nodes.length > 0 ? [new GraphQLError(message, { nodes })] : []
  })
}

type Fragments = ReadonlyMap<string, { readonly selectionSet: SelectionSetNode }>

/** Returns the selections at the root, including fragments; each fragment once. */
function rootSelections(selectionSet: SelectionSetNode, fragments: Fragments): readonly SelectionNode[] {
  const waiting = new Set([selectionSet])
  for (const { selections } of waiting) {
    for (const selection of selections) {
      if (selection.kind === Kind.INLINE_FRAGMENT) waiting.add(selection.selectionSet)
      const spread = selection.kind === Kind.FRAGMENT_SPREAD && fragments.get(selection.name.value)
      if (spread) waiting.add(spread.selectionSet)
    }
  }
  return [...waiting].flatMap(({ selections }) => selections)
}

function conditionsOf({ directives = [] }: SelectionNode) {
  return directives.filter(({ name }) => name.value === 'skip' || name.value === 'include')
}
