import { type ExecutionArgs, type ExecutionResult, execute } from 'graphql'
import type { OperationPlan } from '../plan/plan.ts'
import type { PromiseOrValue } from '../promise-or-value.ts'
import { leanExecutor, type ValidatedArgs, validateArgs } from './lean-executor.ts'
import { SealedContext, type SealedRequest } from './sealed-request.ts'

/** Ends an execution before it is done. */
export type AbortExecution = (reason: unknown) => void

/**
 * Executes an operation as `execute` of `graphql` does, and lets the caller abort it instead of a signal. What `prepare`
 * has worked out for an operation and its variables is not worked out again.
 *
 * @param onStart is handed what aborts the execution. It is not called where `execute` executes: that has the signal of
 *   the arguments.
 */
export function executePrepared(
  args: ExecutionArgs,
  onStart: (abort: AbortExecution) => void,
): PromiseOrValue<ExecutionResult> {
  const executor = leanExecutor()
  const request = SealedContext.sealOf(args.contextValue)?.request
  const validated = executor && request && !executor.isTraced() ? validatedOf(args, request) : null
  if (!executor || !validated) return execute(args)
  const execution = executor.start(validated)
  onStart((reason) => execution.abort(reason))
  return execution.executeRootSelectionSet()
}

/** What of the arguments is the same for each request of an operation; `null`: `execute` has something to say. */
const knownArgs = new WeakMap<OperationPlan, ValidatedArgs | null>()

function validatedOf(args: ExecutionArgs, { plan, schema, variables }: SealedRequest): ValidatedArgs | null {
  const { document, operationName, contextValue, variableValues, rootValue } = args
  let known = knownArgs.get(plan)
  if (known === undefined) {
    known = isIncremental(schema)
      ? null
      : withoutRequest(validateArgs({ schema, document, operationName, variableValues }))
    knownArgs.set(plan, known)
  }
  return (
    known && { ...known, rootValue, contextValue, variableValues: variables.values, rawVariableValues: variableValues }
  )
}

/** `execute` refuses to execute on such a schema. */
function isIncremental(schema: SealedRequest['schema']): boolean {
  return Boolean(schema.getDirective('defer') || schema.getDirective('stream'))
}

/** What is kept leads to no request. */
function withoutRequest(validated: ValidatedArgs | null): ValidatedArgs | null {
  const nothing = {
    rootValue: undefined,
    contextValue: undefined,
    variableValues: undefined,
    rawVariableValues: undefined,
  }
  return validated && { ...validated, ...nothing }
}
