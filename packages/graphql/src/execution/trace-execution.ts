import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql'
import type { PromiseOrValue } from '../promise-or-value.ts'

/** Calls `execute` once and returns its result, with tracing around it. */
export type TraceExecution = <Result>(
  operation: {
    readonly type: 'query' | 'mutation' | 'subscription'
    /** The name as written in the document, of any length. `null`: the operation has no name. */
    readonly name: string | null
    /** Whether the document is from `trustedDocuments`, so that its names are known to the service. */
    readonly isTrusted: boolean
  },
  execute: () => Promise<Result> | Result,
) => Promise<Result> | Result

type Execute<Args> = (args: Args) => PromiseOrValue<ExecutionResult>

/** Returns `execute` itself without a tracer. */
export function traceExecutions<Args extends ExecutionArgs>(
  execute: Execute<Args>,
  trace: TraceExecution | undefined,
  isTrusted: (args: Args) => boolean,
): Execute<Args> {
  if (!trace) return execute
  return (args) => trace({ ...describeOperation(args), isTrusted: isTrusted(args) }, () => execute(args))
}

function describeOperation({
  document,
  operationName,
}: ExecutionArgs): Omit<Parameters<TraceExecution>[0], 'isTrusted'> {
  const operation = getOperationAST(document, operationName)
  return { type: operation?.operation ?? 'query', name: operation?.name?.value ?? null }
}
