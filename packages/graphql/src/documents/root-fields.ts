import {
  type DocumentNode,
  type ExecutionArgs,
  type FieldNode,
  getOperationAST,
  Kind,
  type OperationDefinitionNode,
  type SelectionSetNode,
} from 'graphql'
import { fragmentsOf } from './fragments-of.ts'

/** Whether the operation has exactly one root field, counting fields that `@skip` leaves out. */
export function isSoleRootField({
  document,
  operationName,
}: Pick<ExecutionArgs, 'document' | 'operationName'>): boolean {
  const operation = getOperationAST(document, operationName)
  return operation !== undefined && operation !== null && countRootFields(operation, document) === 1
}

/** Whether the operation has only introspection fields, counting fields that `@skip` leaves out. */
export function isIntrospection({
  document,
  operationName,
}: Pick<ExecutionArgs, 'document' | 'operationName'>): boolean {
  const operation = getOperationAST(document, operationName)
  return !!operation && rootFieldsOf(operation, document).every(({ name }) => name.value.startsWith('__'))
}

/** Counts the response names of root fields, also in fragments, without `__typename`, which does no work. */
export function countRootFields(operation: OperationDefinitionNode, document: DocumentNode): number {
  const counted = rootFieldsOf(operation, document).filter(({ name }) => name.value !== '__typename')
  return new Set(counted.map(({ alias, name }) => (alias ?? name).value)).size
}

function rootFieldsOf({ selectionSet }: OperationDefinitionNode, document: DocumentNode): readonly FieldNode[] {
  const fragments = new Map([...fragmentsOf(document)].map(([name, node]) => [name, node.selectionSet]))
  const fields: FieldNode[] = []
  const waiting = [selectionSet]
  for (const { selections } of waiting) {
    for (const selection of selections) {
      if (selection.kind === Kind.FIELD) fields.push(selection)
      else if (selection.kind === Kind.INLINE_FRAGMENT) waiting.push(selection.selectionSet)
      else waiting.push(...takeFragment(fragments, selection.name.value))
    }
  }
  return fields
}

/** Each fragment is walked once. */
function takeFragment(fragments: Map<string, SelectionSetNode>, name: string): readonly SelectionSetNode[] {
  const selectionSet = fragments.get(name)
  fragments.delete(name)
  return selectionSet ? [selectionSet] : []
}
