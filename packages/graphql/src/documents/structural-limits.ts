import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql'
import { refusal } from '../refusal.ts'
import {
  type DocumentLimits,
  describeExcess,
  type ExceededLimit,
  type Excess,
  type LimitRules,
  limitRefusal,
  nestingAtMost,
} from './limits.ts'
import { type DocumentMeasure, measureDocument, type Size } from './measure-document.ts'
import { countRootFields } from './root-fields.ts'

/** A refusal, or the limits that are exceeded and only reported. */
export type StructureVerdict =
  | { readonly ok: true; readonly exceeded: readonly ExceededLimit[] }
  | { readonly ok: false; readonly error: GraphQLError }

/**
 * Refuses a document that is too large, before the validation, with at most one error. An accepted document has no
 * circular fragments and can be expanded, which bounds the work of all later steps.
 */
export function checkStructure(document: DocumentNode, rules: LimitRules): StructureVerdict {
  const { limits } = rules
  const measure = measureDocument(document)
  const { circle } = measure
  if (circle) {
    const message = `Cannot spread fragment "${circle.name.value}" within itself.`
    const located = { nodes: [circle], source: undefined, positions: undefined }
    return { ok: false, error: refusal('GRAPHQL_VALIDATION_FAILED', { message }, located) }
  }
  const all = findExcesses(document, measure, limits)
  const refused = all.find((excess) => !limits.report || isHard(excess, limits))
  if (refused) return { ok: false, error: limitRefusal(refused, rules) }
  return { ok: true, exceeded: all.map((excess) => describeExcess(excess, limits, 'QUERY_LIMIT_EXCEEDED')) }
}

/** Whether a document above the limit would harm the process: unbounded work, or recursion that overflows. */
function isHard({ limit, value }: Excess, limits: DocumentLimits): boolean {
  return limit === 'expandedSelections' || (limit === 'depth' && Number(value) > nestingAtMost(limits))
}

function findExcesses(document: DocumentNode, measure: DocumentMeasure, limits: DocumentLimits): readonly Excess[] {
  const { operations, fragments, directivesPerLocation } = measure
  const counted: readonly Excess[] = [
    { limit: 'operations', value: operations.length },
    { limit: 'directivesPerLocation', value: directivesPerLocation },
    ...operations.flatMap(({ node, size }) => sizesOf(node, size, document)),
    // Unused fragments are invalid, but validation would have to walk through them first.
    { limit: 'expandedSelections', value: Math.max(0, ...fragments.map(({ size }) => size.selections)) },
  ]
  return counted.filter(({ limit, value }) => Number(value) > limits[limit])
}

function sizesOf(node: OperationDefinitionNode, size: Size, document: DocumentNode): readonly Excess[] {
  const { depth, selections, aliases, directives } = size
  const operationName = node.name?.value
  const rootFields = node.operation === 'mutation' ? 'mutationRootFields' : 'queryRootFields'
  return [
    { limit: 'depth', value: depth, operationName },
    { limit: 'expandedSelections', value: selections, operationName },
    { limit: 'aliases', value: aliases, operationName },
    { limit: 'directives', value: directives, operationName },
    { limit: rootFields, value: countRootFields(node, document), operationName },
  ]
}
