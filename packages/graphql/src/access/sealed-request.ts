import type { Identity } from '@latchkey/rbac'
import type { GraphQLResolveInfo, GraphQLSchema } from 'graphql'
import { type CoercedVariables, readVariable } from '../documents/coerce-variables.ts'
import type { OperationPlan } from '../plan/plan.ts'
import type { OwnerLoader } from './owner-loader.ts'
import type { ScopeNames } from './scope-names.ts'

/** A decided operation, which may be executed with its own context. */
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
  /** The identity of the request; below a credential field, the identity that signed in. */
  identity: Identity | null
}

interface Seal {
  readonly request: SealedRequest
  /** Parts of the execution that were compared. They stay the same objects while it runs. */
  fragments: unknown
  variables: unknown
}

/**
 * The context of an operation. Its seal is a private field, which copies, subclasses and proxies of the object do not
 * have, and which needs no weak map in memory.
 */
export class SealedContext {
  readonly #seal: Seal

  constructor(request: SealedRequest) {
    this.#seal = { request, fragments: null, variables: null }
  }

  /** For resolvers. Created on first use. */
  get signal(): AbortSignal {
    return this.#seal.request.signal()
  }

  static sealOf(context: unknown): Seal | null {
    return typeof context === 'object' && context !== null && #seal in context ? context.#seal : null
  }
}

/** Returns the request of this context, if its operation is the operation that is executed. */
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
