import { Visitor } from 'oxc-parser'
import type { SourceFile } from '../house/source-file.ts'

/** A function that has a name: declared, a method, or the value of a variable or property. */
export interface NamedFunction {
  readonly name: string
  readonly file: string
  readonly line: number
  /** From its first to its last line, without the comment before it. */
  readonly lines: number
}

interface Node {
  readonly type: string
  readonly start: number
  readonly end: number
}

export function namedFunctions({ path, text, parsed }: SourceFile): NamedFunction[] {
  const found: NamedFunction[] = []
  const lineAt = (position: number) => text.slice(0, position).split('\n').length
  const add = (name: Node | null, { start, end }: Node) => {
    const [first, last] = [lineAt(start), lineAt(end)]
    found.push({ name: nameOf(name), file: path, line: first, lines: last - first + 1 })
  }
  const addValue = (name: Node, value: Node | null) => {
    if (value?.type === 'ArrowFunctionExpression' || value?.type === 'FunctionExpression') add(name, value)
  }
  new Visitor({
    FunctionDeclaration: (node) => void (node.body && add(node.id, node)),
    VariableDeclarator: ({ id, init }) => addValue(id, init),
    Property: ({ key, value }) => addValue(key, value),
    PropertyDefinition: ({ key, value }) => addValue(key, value),
    MethodDefinition: ({ key, value }) => addValue(key, value),
  }).visit(parsed.program)
  return found
}

function nameOf(node: Node | null): string {
  if (node && 'name' in node && typeof node.name === 'string') return node.name
  return node && 'value' in node ? String(node.value) : '(computed)'
}
