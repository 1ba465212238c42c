import {
  type DocumentNode,
  type ExecutionArgs,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { fragmentsOf } from './fragments-of.ts'

/** Whether the operation has one root field. What `@skip` leaves out counts. */
export function isSoleRootField({
  document,
  operationName,
}: Pick<ExecutionArgs, 'document' | 'operationName'>): boolean {
  const operation = getOperationAST(document, operationName)
  return operation !== undefined && operation !== null && countRootFields(operation, document) === 1
}

/** Counts names of root fields, through fragments too. `__typename` does nothing and does not count. */
export function countRootFields({ selectionSet }: OperationDefinitionNode, document: DocumentNode): number {
  const fragments = new Map([...fragmentsOf(document)].map(([name, node]) => [name, node.selectionSet]))
  const names = new Set<string>()
  const waiting = [selectionSet]
  for (const { selections } of waiting) {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) {
        if (selection.name.value !== '__typename') names.add((selection.alias ?? selection.name).value)
      } else if (selection.kind === Kind.INLINE_FRAGMENT) waiting.push(selection.selectionSet)
      else waiting.push(...takeFragment(fragments, selection.name.value))
    }
  }
  return names.size
}

/** Each is walked once. */
function takeFragment(fragments: Map<string, SelectionSetNode>, name: string): readonly SelectionSetNode[] {
  const selectionSet = fragments.get(name)
  fragments.delete(name)
  return selectionSet ? [selectionSet] : []
}
