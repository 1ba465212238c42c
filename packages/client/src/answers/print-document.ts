/** A document of GraphQL: text, `TypedDocumentNode`, or `TypedDocumentString`. */
type AnyDocument = string | { readonly kind?: string }

type Node = Readonly<Record<string, unknown>> & { readonly kind: string }

/** The members of nodes in the order of their text, then the kinds of nodes; with the signs before and after each. */
const forms =
  '|operation| ,|alias|:,|variable|:,|name, on |typeCondition,(|variableDefinitions|),(|arguments|),|type,=|defaultValue,|value,|values,|fields,|directives,{|selections|},|selectionSet,|definitions,fragment |FragmentDefinition,...|FragmentSpread,...|InlineFragment,@|Directive,$|Variable,null|NullValue,[|ListType|],[|ListValue|],{|ObjectValue|},|NonNullType|!'

/** Returns the text of a document. */
export function printDocument(document: AnyDocument): string {
  return print(document)
}

function print(node: unknown): string {
  if (Array.isArray(node)) return node.map(print).join(' ')
  return (node as Node)?.kind ? printNode(node as Node) : `${node ?? ''}`
}

function printNode(node: Node): string {
  if (node.kind === 'StringValue') return JSON.stringify(node.value)
  let text = ''
  for (const form of forms.split(',')) {
    const [before = '', name = '', after = ''] = form.split('|')
    const child = print(node[name])
    if (child && text && name === 'value') text += ':'
    if (child) text += before + child + after
    if (name === node.kind) text = before + text + after
  }
  return text
}
