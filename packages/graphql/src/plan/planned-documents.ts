import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql'
import type { ExceededLimit } from '../documents/limits.ts'
import { type CostCheck, type CostInput, createCostCheck } from '../documents/operation-cost.ts'
import { chooseOperation, type DocumentVerdict, readDocument } from '../documents/read-document.ts'
import { refusal } from '../refusal.ts'
import { createLruMap } from './lru-map.ts'
import type { OperationPlan } from './plan.ts'
import { type PlanInput, planOperation } from './plan-operation.ts'

export type PlannedVerdict =
  | {
      readonly ok: true
      readonly document: DocumentNode
      readonly plan: OperationPlan
      readonly checkCost: CostCheck
      readonly exceeded: readonly ExceededLimit[]
    }
  | { readonly ok: false; readonly errors: readonly GraphQLError[] }

export interface PlannedDocuments {
  /** Parses, validates, chooses and plans an operation, or finds it in the cache. */
  plan(query: string, operationName: string | null | undefined): PlannedVerdict
}

export interface PlannedDocumentsOptions extends PlanInput, CostInput {}

interface Planned {
  readonly plan: OperationPlan
  readonly checkCost: CostCheck
}

interface Known {
  readonly verdict: DocumentVerdict
  /** A plan for each requested operation of the document. */
  readonly plans: Map<string, Planned>
}

/**
 * By number and by characters: a character takes at most about 300 bytes of memory, and a tenth in ordinary documents.
 */
const documentsAtMost = { entriesAtMost: 1000, weightAtMost: 200_000 }
const failuresAtMost = { entriesAtMost: 100, weightAtMost: 40_000 }
/** Longer documents are rare, and would displace many others. */
const cachedCharactersAtMost = 8_000

/**
 * Caches documents with their plans, and failures separately, so that invalid documents do not displace valid
 * documents.
 */
export function createPlannedDocuments(options: PlannedDocumentsOptions): PlannedDocuments {
  const documents = createLruMap<string, Known>(documentsAtMost)
  const failures = createLruMap<string, Known>(failuresAtMost)
  const read = (query: string): Known => {
    const known = documents.get(query) ?? failures.get(query)
    if (known) return known
    const verdict = readDocument(query, options)
    const made = { verdict, plans: new Map<string, Planned>() }
    if (query.length <= cachedCharactersAtMost) (verdict.ok ? documents : failures).set(query, made, query.length)
    return made
  }
  const planOf = ({ plans }: Known, document: DocumentNode, operation: OperationDefinitionNode): Planned => {
    const name = operation.name?.value ?? ''
    const planned = plans.get(name) ?? planOperationOf(document, operation, options)
    plans.set(name, planned)
    return planned
  }
  return {
    plan(query, operationName) {
      const known = read(query)
      const { verdict } = known
      if (!verdict.ok) return { ok: false, errors: verdict.errors }
      const { document, exceeded } = verdict
      const operation = chooseOperation(document, operationName)
      if (!operation) return { ok: false, errors: [refusal('OPERATION_RESOLUTION_FAILURE')] }
      const { plan, checkCost } = planOf(known, document, operation)
      return { ok: true, document, plan, checkCost, exceeded }
    },
  }
}

function planOperationOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  options: PlannedDocumentsOptions,
): Planned {
  const plan = planOperation(document, operation, options)
  return { plan, checkCost: createCostCheck(document, operation, options) }
}
