import type { DocumentNode, GraphQLError, OperationDefinitionNode } from 'graphql'
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
  readonly bytes: number
}

interface Known {
  readonly verdict: DocumentVerdict
  /** One for each operation of the document that was asked for. */
  readonly plans: Map<string, Planned>
  bytes: number
}

/** A thousand documents of usual size are kept. What weighs is the memory that they take, so that no others can fill it. */
const documentsAtMost = { entriesAtMost: 1000, weightAtMost: 20_000_000 }
const failuresAtMost = { entriesAtMost: 100, weightAtMost: 4_000_000 }
/** Longer ones are rare, and would push out many others. */
const cachedCharactersAtMost = 8_000

/** Keeps documents with their plans, and failures apart, so that bad documents do not push out good ones. */
export function createPlannedDocuments(options: PlannedDocumentsOptions): PlannedDocuments {
  const documents = createLruMap<string, Known>(documentsAtMost)
  const failures = createLruMap<string, Known>(failuresAtMost)
  const keep = (query: string, known: Known): void => {
    if (query.length <= cachedCharactersAtMost) (known.verdict.ok ? documents : failures).set(query, known, known.bytes)
  }
  const read = (query: string): Known => {
    const known = documents.get(query) ?? failures.get(query)
    if (known) return known
    const verdict = readDocument(query, options)
    const made = { verdict, plans: new Map<string, Planned>(), bytes: bytesOfEntry + verdict.bytes }
    keep(query, made)
    return made
  }
  const planOf = (known: Known, query: string, document: DocumentNode, operation: OperationDefinitionNode): Planned => {
    const name = operation.name?.value ?? ''
    const planned = known.plans.get(name) ?? planOperationOf(document, operation, options)
    if (known.plans.has(name)) return planned
    known.plans.set(name, planned)
    known.bytes += planned.bytes
    keep(query, known)
    return planned
  }
  return {
    plan(query, operationName) {
      const known = read(query)
      const { verdict } = known
      if (!verdict.ok) return { ok: false, errors: verdict.errors }
      const { document } = verdict
      const operation = chooseOperation(document, operationName)
      if (!operation) return { ok: false, errors: [refusal('OPERATION_RESOLUTION_FAILURE')] }
      const { plan, checkCost } = planOf(known, query, document, operation)
      return { ok: true, document, plan, checkCost }
    },
  }
}

const bytesOfEntry = 1_000

function planOperationOf(
  document: DocumentNode,
  operation: OperationDefinitionNode,
  options: PlannedDocumentsOptions,
): Planned {
  const { plan, bytes } = planOperation(document, operation, options)
  const cost = createCostCheck(document, operation, options)
  return { plan, checkCost: cost.check, bytes: bytes + cost.bytes }
}
