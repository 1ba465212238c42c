import { type DocumentNode, type FragmentDefinitionNode, Kind } from 'graphql'

/** Returns the fragments of a document by name; the last of two with the same name, as in GraphQL's own validation. */
export function fragmentsOf(document: DocumentNode): ReadonlyMap<string, FragmentDefinitionNode> {
  return new Map(
    document.definitions.flatMap((node) => (node.kind === Kind.FRAGMENT_DEFINITION ? [[node.name.value, node]] : [])),
  )
}
