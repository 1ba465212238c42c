/** A document of GraphQL: text, `TypedDocumentNode`, or `TypedDocumentString`. */
export type AnyDocument = string | { readonly kind?: string }

type Node = Readonly<Record<string, unknown>> & { readonly kind: string }

/** Returns the text of a document. */
export function printDocument(document: AnyDocument): string {
  return isNode(document) ? print(document) : String(document)
}

function isNode(value: unknown): value is Node {
  return typeof (value as Node | null)?.kind === 'string'
}

/** What executable documents are made of, each kind with how it is written. */
const printers: Readonly<Record<string, (node: Node) => string>> = {
  Document: ({ definitions }) => list(definitions),
  OperationDefinition: ({ operation, name, variableDefinitions, directives, selectionSet }) =>
    `${operation} ${print(name)}${wrap('(', variableDefinitions, ')')}${list(directives)}${print(selectionSet)}`,
  VariableDefinition: ({ variable, type, defaultValue, directives }) =>
    `${print(variable)}:${print(type)}${defaultValue ? `=${print(defaultValue)}` : ''} ${list(directives)}`,
  SelectionSet: ({ selections }) => wrap('{', selections, '}'),
  Field: ({ alias, name, arguments: given, directives, selectionSet }) =>
    `${alias ? `${print(alias)}:` : ''}${print(name)}${wrap('(', given, ')')}${list(directives)}${print(selectionSet)}`,
  Argument: ({ name, value }) => `${print(name)}:${print(value)}`,
  FragmentSpread: ({ name, directives }) => `...${print(name)} ${list(directives)}`,
  InlineFragment: ({ typeCondition, directives, selectionSet }) =>
    `...${typeCondition ? `on ${print(typeCondition)}` : ''} ${list(directives)}${print(selectionSet)}`,
  FragmentDefinition: ({ name, typeCondition, directives, selectionSet }) =>
    `fragment ${print(name)} on ${print(typeCondition)} ${list(directives)}${print(selectionSet)}`,
  Directive: ({ name, arguments: given }) => `@${print(name)}${wrap('(', given, ')')}`,
  Name: ({ value }) => String(value),
  Variable: ({ name }) => `$${print(name)}`,
  NamedType: ({ name }) => print(name),
  ListType: ({ type }) => `[${print(type)}]`,
  NonNullType: ({ type }) => `${print(type)}!`,
  StringValue: ({ value }) => JSON.stringify(value),
  NullValue: () => 'null',
  ListValue: ({ values }) => `[${list(values)}]`,
  ObjectValue: ({ fields }) => `{${list(fields)}}`,
  ObjectField: ({ name, value }) => `${print(name)}:${print(value)}`,
}

function print(node: unknown): string {
  if (!isNode(node)) return ''
  return printers[node.kind]?.(node) ?? String(node.value)
}

function list(nodes: unknown): string {
  return Array.isArray(nodes) ? nodes.map(print).join(' ') : ''
}

function wrap(start: string, nodes: unknown, end: string): string {
  const text = list(nodes)
  return text && start + text + end
}
