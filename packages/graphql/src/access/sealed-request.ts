import type { Identity } from '@latchkey/rbac'
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql'
import { type CoercedVariables, readVariable } from '../documents/coerce-variables.ts'
import type { OperationPlan } from '../plan/plan.ts'
import type { OwnerLoader } from './owner-loader.ts'
import type { ScopeNames } from './scope-names.ts'

/** One operation that was decided, and may be executed with the context that was made for it. */
export interface SealedRequest {
  readonly schema: GraphQLSchema
  readonly plan: OperationPlan
  readonly variables: CoercedVariables
  /** The names of the root fields with `orNull` that are not null: the fields below them were decided. */
  readonly open: ReadonlySet<string>
  readonly owners: OwnerLoader
  /** `null`: refusals name no scope. */
  readonly names: ScopeNames | null
  /** Returns the signal that is aborted when the answer is no longer needed. */
  readonly signal: () => AbortSignal
  /** The identity of the request; below a credential field, the one that it signed in. */
  identity: Identity | null
}

interface Seal {
  readonly request: SealedRequest
  /** The parts of an execution that were compared already: they stay the same objects while it lasts. */
  fragments: unknown
  variables: unknown
}

/**
 * The context of one operation. Its seal is a private field: a copy, a subclass or a proxy of the object does not have it,
 * and no weak map has to be kept in memory for it.
 */
export class SealedContext {
  readonly #seal: Seal

  constructor(request: SealedRequest) {
    this.#seal = { request, fragments: null, variables: null }
  }

  /** For resolvers. Made when it is first asked for. */
  get signal(): AbortSignal {
    return this.#seal.request.signal()
  }

  static sealOf(context: unknown): Seal | null {
    return typeof context === 'object' && context !== null && #seal in context ? context.#seal : null
  }
}

/** Returns the request that this context was made for, if the operation being executed is the one that was decided. */
export function openSeal(context: unknown, info: GraphQLResolveInfo): SealedRequest {
  const seal = SealedContext.sealOf(context)
  if (!seal || !isSealedOperation(seal, info)) {
    throw new Error(
      'This schema executes only what access.prepare decided: the operation and the context from its "args", unchanged.',
    )
  }
  return seal.request
}

function isSealedOperation(seal: Seal, { schema, operation, fragments, variableValues }: GraphQLResolveInfo): boolean {
  const { request } = seal
  const { plan, variables } = request
  if (schema !== request.schema || operation !== plan.operation) return false
  if (fragments !== seal.fragments) {
    for (const [name, fragment] of plan.fragments) if (fragments[name] !== fragment) return false
    seal.fragments = fragments
  }
  if (variableValues !== seal.variables) {
    const values = variableValues as CoercedVariables['values']
    if (plan.conditionVariables.some((name) => readVariable(values, name) !== variables.read(name))) return false
    seal.variables = variableValues
  }
  return true
}
