/** A document of GraphQL: text, `TypedDocumentNode`, or `TypedDocumentString`. */
type AnyDocument = string | { readonly kind?: string }

type Node = Readonly<Record<string, unknown>> & { readonly kind: string }

/**
 * The form of each kind of node. Between bars stands a part: `$name` is replaced by the text of the member `name`, and a part
 * whose member has no text is left out.
 */
const forms: Readonly<Record<string, string>> = {
  OperationDefinition: '$operation |$name|($variableDefinitions)|$directives|$selectionSet',
  VariableDefinition: '$variable:|$type|=$defaultValue|$directives',
  SelectionSet: '{$selections}',
  Field: '$alias:|$name|($arguments)|$directives|$selectionSet',
  FragmentSpread: '...$name|$directives',
  InlineFragment: '...|on $typeCondition|$directives|$selectionSet',
  FragmentDefinition: 'fragment $name| on $typeCondition|$directives|$selectionSet',
  Directive: '@$name|($arguments)',
  Variable: '$$name',
  ListType: '[$type]',
  NonNullType: '$type!',
  ListValue: '[|$values|]',
  ObjectValue: '{|$fields|}',
}

/** Returns the text of a document. */
export function printDocument(document: AnyDocument): string {
  return print((document as Node).kind ? document : `${document}`)
}

function print(node: unknown): string {
  if (Array.isArray(node)) return node.map(print).join(' ')
  return typeof node === 'object' && node ? printNode(node as Node) : String(node ?? '')
}

function printNode(node: Node): string {
  const { kind, name, value, definitions } = node
  const form = forms[kind] ?? (name && value ? '$name:|$value' : null)
  if (form)
    return form
      .split('|')
      .map((part) => fill(part, node))
      .join('')
  return kind === 'StringValue' ? JSON.stringify(value) : print(definitions ?? name ?? value ?? 'null')
}

function fill(part: string, node: Node): string {
  let text = part
  const filled = part.replace(/\$(\w+)/, (_all, name) => {
    text = print(node[name])
    return text
  })
  return text && filled
}
