import {
  type ASTNode,
  type DefinitionNode,
  type DocumentNode,
  isTypeSystemDefinitionNode,
  isTypeSystemExtensionNode,
  Kind,
  type NamedTypeNode,
  OperationTypeNode,
  parse,
  print,
  type SchemaDefinitionNode,
} from 'graphql'

/**
 * Merges texts into one document: several definitions or extensions of a type become one definition with all parts, in
 * order. Parts with the same name must be equal, except for descriptions. Different parts are both kept, so that the
 * schema is refused when it is built. So no text can change a rule of another text.
 */
export function mergeDefinitions(texts: readonly string[]): DocumentNode {
  const merged = new Map<string, DefinitionNode>()
  for (const definition of texts.flatMap((text) => parse(text, { noLocation: true }).definitions)) {
    if (!isTypeSystemDefinitionNode(definition) && !isTypeSystemExtensionNode(definition)) continue
    const name = nameOf(definition)
    const before = merged.get(name)
    merged.set(name, before ? join(before, definition) : definition)
  }
  const definitions = [...merged.values()]
  const isSchema = ({ kind }: DefinitionNode): boolean => /^Schema/.test(kind)
  return {
    kind: Kind.DOCUMENT,
    definitions: definitions.map((one) => (isSchema(one) ? withAllRoots(one as SchemaDefinitionNode, merged) : one)),
  }
}

/** Returns a name that a definition shares with its extensions: `ObjectType Query`, `Schema`. */
function nameOf(definition: DefinitionNode): string {
  const kind = definition.kind.replace(/(?:Definition|Extension)$/, '')
  return 'name' in definition && definition.name ? `${kind} ${definition.name.value}` : kind
}

type Parts = Readonly<Record<string, unknown>>

function join(before: DefinitionNode, later: DefinitionNode): DefinitionNode {
  const [first, second]: Parts[] = [{ ...before }, { ...later }]
  const joined: Record<string, unknown> = { ...first, ...second }
  for (const [name, value] of Object.entries(joined)) {
    const lists = [first?.[name], second?.[name]].filter(Array.isArray)
    if (lists.length > 0) joined[name] = withoutRepeats(lists.flat())
    else if (value === undefined) joined[name] = first?.[name]
  }
  const kind = before.kind.endsWith('Definition') ? before.kind : later.kind
  return { ...joined, kind } as DefinitionNode
}

function withoutRepeats(nodes: readonly ASTNode[]): readonly ASTNode[] {
  const named = Map.groupBy(nodes, labelOf)
  const seen = new Set<string>()
  return nodes.filter((node) => {
    if (named.get(labelOf(node))?.length === 1) return true
    const text = printBare(node)
    return !seen.has(text) && seen.add(text)
  })
}

/** Returns the label of a part. Equal parts have the same label. */
function labelOf(node: ASTNode): string {
  return 'name' in node && node.name ? node.name.value : node.kind
}

function printBare(node: ASTNode): string {
  return print('description' in node ? ({ ...node, description: undefined } as ASTNode) : node)
}

const roots: readonly (readonly [OperationTypeNode, string])[] = [
  [OperationTypeNode.QUERY, 'Query'],
  [OperationTypeNode.MUTATION, 'Mutation'],
  [OperationTypeNode.SUBSCRIPTION, 'Subscription'],
]

/** Adds the default root types: a schema definition in one text does not remove root types of other texts. */
function withAllRoots(definition: SchemaDefinitionNode, all: ReadonlyMap<string, DefinitionNode>): DefinitionNode {
  const named = definition.operationTypes ?? []
  const others = roots.filter(
    ([operation, name]) => all.has(`ObjectType ${name}`) && !named.some((one) => one.operation === operation),
  )
  const operationTypes = others.map(([operation, value]) => {
    const type: NamedTypeNode = { kind: Kind.NAMED_TYPE, name: { kind: Kind.NAME, value } }
    return { kind: Kind.OPERATION_TYPE_DEFINITION, operation, type } as const
  })
  return { ...definition, kind: Kind.SCHEMA_DEFINITION, operationTypes: [...named, ...operationTypes] }
}
