/** A document of GraphQL: text, `TypedDocumentNode`, or `TypedDocumentString`. */
type AnyDocument = string | { readonly kind?: string }

type Node = Readonly<Record<string, unknown>> & { readonly kind: string }

/** The members of nodes in the order of their text, between the signs around them. */
const members =
  '|operation| ,|alias|:,|variable|:,|name, on |typeCondition,(|variableDefinitions|),(|arguments|),|type,=|defaultValue,|value,|values,|fields,|directives,{|selections|},|selectionSet,|definitions'

/** The signs around nodes of a kind. */
const signs: Readonly<Record<string, string>> = {
  FragmentDefinition: 'fragment ',
  FragmentSpread: '...',
  InlineFragment: '...',
  Directive: '@',
  Variable: '$',
  NullValue: 'null',
  ListType: '[|]',
  ListValue: '[|]',
  ObjectValue: '{|}',
  NonNullType: '|!',
}

/** Returns the text of a document. */
export function printDocument(document: AnyDocument): string {
  return print(document)
}

function print(node: unknown): string {
  if (Array.isArray(node)) return node.map(print).join(' ')
  return (node as Node | undefined)?.kind ? printNode(node as Node) : `${node ?? ''}`
}

function printNode(node: Node): string {
  const { kind, name, value } = node
  if (kind === 'StringValue') return JSON.stringify(value)
  const [before = '', after = ''] = signs[kind]?.split('|') ?? []
  const parts = members.split(',').flatMap((part) => {
    const [open, member = '', close = ''] = part.split('|')
    const text = print(node[member])
    return text ? open + text + close : []
  })
  return before + parts.join(name && value ? ':' : '') + after
}
