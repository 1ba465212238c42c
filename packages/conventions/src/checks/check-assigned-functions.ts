import { Visitor } from 'oxc-parser'
import type { House } from '../house/house.ts'
import { lineAt, type SourceFile } from '../house/source-file.ts'

/**
 * No function that is written at the right of an assignment is assigned to a member. V8 takes it for a method that is defined
 * once and makes it among the old objects: made for each request, it and all that it leads to stay in memory until the next
 * collection of these.
 */
export function checkAssignedFunctions(house: House): string[] {
  return house.packages.flatMap(({ sources }) => sources).flatMap(findAssigned)
}

function findAssigned({ path, text, parsed }: SourceFile): string[] {
  const found: string[] = []
  new Visitor({
    AssignmentExpression({ operator, left, right, start }) {
      if (!assigns.test(operator) || left.type !== 'MemberExpression' || !isFunction(right)) return
      const member = text.slice(left.start, left.end)
      found.push(`${path}:${lineAt(text, start)}: ${member}: name the function before it is assigned`)
    },
  }).visit(parsed.program)
  return found
}

/** Plain assignments only, no arithmetic. */
const assigns = /^(=|\?\?=|\|\|=|&&=)$/

function isFunction({ type }: { readonly type: string }): boolean {
  return type === 'ArrowFunctionExpression' || type === 'FunctionExpression'
}
