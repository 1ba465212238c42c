import { type ArgumentNode, type FieldNode, Kind, type ObjectFieldNode, type ValueNode } from 'graphql'

/** A field as it is called: the same text is the same field with the same arguments, in whatever order they stand. */
export function fieldText({ name, arguments: given = [] }: FieldNode): string {
  return `${name.value}(${textOf(given)})`
}

function textOf(named: readonly (ArgumentNode | ObjectFieldNode)[]): string {
  return named
    .map(({ name, value }) => `${name.value}:${valueText(value)}`)
    .sort()
    .join()
}

/** A block string is not the same as a string, although both may stand for one value: so it is in GraphQL's own rule. */
function valueText(node: ValueNode): string {
  switch (node.kind) {
    case Kind.VARIABLE:
      return `$${node.name.value}`
    case Kind.NULL:
      return 'null'
    case Kind.LIST:
      return `[${node.values.map(valueText).join()}]`
    case Kind.OBJECT:
      return `{${textOf(node.fields)}}`
    case Kind.STRING:
      return `${node.block ? 'block' : ''}${JSON.stringify(node.value)}`
    default:
      return String(node.value)
  }
}
