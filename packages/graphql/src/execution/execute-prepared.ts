import { type DocumentNode, type ExecutionArgs, type ExecutionResult, execute, type GraphQLSchema } from 'graphql'
import { SealedContext, type SealedRequest } from '../access/sealed-request.ts'
import { createLruMap, type LruMap } from '../plan/lru-map.ts'
import type { OperationPlan } from '../plan/plan.ts'
import type { PromiseOrValue } from '../promise-or-value.ts'
import { type ValidatedArgs, validateArgs } from './graphql-internals.ts'
import { hasConditions, KeptSelections } from './kept-selections.ts'
import { leanExecutor } from './lean-executor.ts'

/** Aborts an execution. */
export type AbortExecution = (reason: unknown) => void

/**
 * Executes an operation as `execute` of `graphql` does, but the caller aborts it with a function instead of a signal.
 * It reuses the results of `prepare` for the operation and its variables.
 *
 * @param onStart receives the function that aborts the execution. It is not called if `execute` runs: that uses the
 * signal of the arguments.
 */
export function executePrepared(
  args: ExecutionArgs,
  onStart: (abort: AbortExecution) => void,
): PromiseOrValue<ExecutionResult> {
  const executor = leanExecutor()
  const request = SealedContext.sealOf(args.contextValue)?.request
  const validated = executor && request && !executor.isTraced() ? validatedOf(args, request) : null
  if (!executor || !request || !validated) return execute(args)
  const execution = executor.start(validated, keptOf(request, args))
  onStart((reason) => execution.abort(reason))
  return execution.executeRootSelectionSet()
}

/** The arguments that are the same for each request of an operation; `null`: `execute` has to report an error. */
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
    known && {
      ...known,
      rootValue,
      contextValue,
      variableValues: variables.values as ValidatedArgs['variableValues'],
      rawVariableValues: variableValues,
    }
  )
}

type KeptOperations = LruMap<OperationPlan, KeptSelections>

/**
 * Separate from the documents, because most documents never need it: it takes more memory than the document, up to 700
 * bytes for a character.
 */
const keptBySchema = new WeakMap<GraphQLSchema, KeptOperations>()
const keptAtMost = { entriesAtMost: 1000, weightAtMost: 40_000 }
const withConditions = new WeakSet<OperationPlan>()

/** Returns the kept fields of an operation; `null` if variables decide which fields are executed. */
function keptOf({ schema, plan }: SealedRequest, { document }: ExecutionArgs): KeptSelections | null {
  let operations = keptBySchema.get(schema)
  if (!operations) {
    operations = createLruMap(keptAtMost)
    keptBySchema.set(schema, operations)
  }
  return operations.get(plan) ?? openKept(operations, schema, plan, document)
}

function openKept(
  operations: KeptOperations,
  schema: GraphQLSchema,
  plan: OperationPlan,
  document: DocumentNode,
): KeptSelections | null {
  if (withConditions.has(plan)) return null
  if (hasConditions(document)) {
    withConditions.add(plan)
    return null
  }
  const kept = new KeptSelections((type, name) => schema.getField(type, name))
  operations.set(plan, kept, document.loc?.source.body.length ?? 0)
  return kept
}

/** `execute` refuses schemas with these directives. */
function isIncremental(schema: SealedRequest['schema']): boolean {
  return Boolean(schema.getDirective('defer') || schema.getDirective('stream'))
}

/** Removes the references to the request before the arguments are kept. */
function withoutRequest(validated: ValidatedArgs | null): ValidatedArgs | null {
  const nothing = {
    rootValue: undefined,
    contextValue: undefined,
    variableValues: undefined as never,
    rawVariableValues: undefined,
  }
  return validated && { ...validated, ...nothing }
}
