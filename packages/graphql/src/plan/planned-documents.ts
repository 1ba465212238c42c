import type { DocumentNode, GraphQLError } from 'graphql'
import { type CostCheck, type CostInput, createCostCheck } from '../documents/operation-cost.ts'
import { chooseOperation, type DocumentVerdict, readDocument } from '../documents/read-document.ts'
import { refusal } from '../refusal.ts'
import { createLruMap } from './lru-map.ts'
import type { OperationPlan } from './plan.ts'
import { type PlanInput, planOperation } from './plan-operation.ts'

export type PlannedVerdict =
  | { readonly ok: true; readonly document: DocumentNode; readonly plan: OperationPlan; readonly checkCost: CostCheck }
  | { readonly ok: false; readonly errors: readonly GraphQLError[] }

export interface PlannedDocuments {
  /** Parses, validates, chooses and plans; what was seen before is looked up. */
  plan(query: string, operationName: string | null | undefined): PlannedVerdict
}

export interface PlannedDocumentsOptions extends PlanInput, CostInput {}

interface Planned {
  readonly plan: OperationPlan
  readonly checkCost: CostCheck
}

interface Known {
  readonly verdict: DocumentVerdict
  /** One for each operation of the document that was asked for. */
  readonly plans: Map<string, Planned>
}

/**
 * A document weighs as many characters as it has: parsed and planned, each of them takes up to 130 bytes. So a thousand
 * documents of usual size are kept, and long ones cannot fill the memory.
 */
const documentsAtMost = { entriesAtMost: 1000, weightAtMost: 400_000 }
const failuresAtMost = { entriesAtMost: 100, weightAtMost: 40_000 }
/** Longer ones are rare, and would push out many others. */
const cachedCharactersAtMost = 8_000

/** Keeps documents with their plans, and failures apart, so that bad documents do not push out good ones. */
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
  return {
    plan(query, operationName) {
      const { verdict, plans } = read(query)
      if (!verdict.ok) return verdict
      const operation = chooseOperation(verdict.document, operationName)
      if (!operation) return { ok: false, errors: [refusal('OPERATION_RESOLUTION_FAILURE')] }
      const name = operation.name?.value ?? ''
      const { document } = verdict
      const planned = plans.get(name) ?? {
        plan: planOperation(document, operation, options),
        checkCost: createCostCheck(document, operation, options),
      }
      plans.set(name, planned)
      return { ok: true, document, ...planned }
    },
  }
}
