import { type DocumentNode, type FragmentDefinitionNode, Kind } from 'graphql'

/** The fragments of a document by name; of two with one name the last, as in GraphQL's own validation. */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  )
}
