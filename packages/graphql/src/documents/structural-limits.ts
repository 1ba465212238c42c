import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql'
import { refusal } from '../refusal.ts'
import { type DocumentLimits, type LimitRules, limitRefusal } from './limits.ts'
import { type DocumentMeasure, measureDocument, type Size } from './measure-document.ts'
import { countRootFields } from './root-fields.ts'

/**
 * Refuses what is too large before anything looks at its meaning: at most one error. What passes can be expanded, which
 * is what makes the work of all later steps bounded; circles are refused with it.
 */
export function structuralRefusal(document: DocumentNode, rules: LimitRules): GraphQLError | null {
  const measure = measureDocument(document)
  const { circle } = measure
  if (circle) {
    const message = `Cannot spread fragment "${circle.name.value}" within itself.`
    return refusal(
      'GRAPHQL_VALIDATION_FAILED',
      { message },
      { nodes: [circle], source: undefined, positions: undefined },
    )
  }
  const exceeded = findExceeded(document, measure, rules.limits)
  return exceeded && limitRefusal(exceeded, rules)
}

function findExceeded(
  document: DocumentNode,
  measure: DocumentMeasure,
  limits: DocumentLimits,
): keyof DocumentLimits | null {
  if (measure.operations.length > limits.operations) return 'operations'
  if (measure.directivesPerLocation > limits.directivesPerLocation) return 'directivesPerLocation'
  for (const { node, size } of measure.operations) {
    const exceeded = exceededBySize(size, limits) ?? exceededByRoot(node, document, limits)
    if (exceeded) return exceeded
  }
  // Those that no operation uses are invalid, but validation would have to walk through them to say so.
  const isAnyTooLarge = measure.fragments.some(({ size }) => size.selections > limits.expandedSelections)
  return isAnyTooLarge ? 'expandedSelections' : null
}

function exceededBySize(size: Size, limits: DocumentLimits): keyof DocumentLimits | null {
  if (size.depth > limits.depth) return 'depth'
  if (size.selections > limits.expandedSelections) return 'expandedSelections'
  if (size.aliases > limits.aliases) return 'aliases'
  return size.directives > limits.directives ? 'directives' : null
}

function exceededByRoot(
  node: OperationDefinitionNode,
  document: DocumentNode,
  limits: DocumentLimits,
): keyof DocumentLimits | null {
  const name = node.operation === 'mutation' ? 'mutationRootFields' : 'queryRootFields'
  return countRootFields(node, document) > limits[name] ? name : null
}
