/** A document of GraphQL: text, `TypedDocumentNode`, or `TypedDocumentString`. */
type AnyDocument = string | { readonly kind?: string }

type Node = Readonly<Record<string, unknown>> & { readonly kind: string }

/** The members of nodes in the order of their text, then the kinds of nodes; with the signs before and after each. */
const forms =
  '|operation| ,|alias|:,|variable|:,|name, on |typeCondition,(|variableDefinitions|),(|arguments|),|type,=|defaultValue,|value,|values,|fields,|directives,{|selections|},|selectionSet,|definitions,fragment |FragmentDefinition,...|FragmentSpread,...|InlineFragment,@|Directive,$|Variable,null|NullValue,[|ListType|],[|ListValue|],{|ObjectValue|},|NonNullType|!'

/** Returns the text of a document, or of a part of it. */
export function printDocument(document: AnyDocument | readonly AnyDocument[]): string {
  if (Array.isArray(document)) return document.map(printDocument).join(' ')
  return (document as Node)?.kind ? printNode(document as Node) : `${document ?? ''}`
}

function printNode(node: Node): string {
  if (node.kind === 'StringValue') return JSON.stringify(node.value)
  let text = ''
  for (const form of forms.split(',')) {
    const [before, name, after = ''] = form.split('|') as [string, string, string?]
    const child = printDocument(node[name] as AnyDocument)
    if (child && text && name === 'value') text += ':'
    if (child) text += before + child + after
    if (name === node.kind) text = before + text + after
  }
  return text
}
