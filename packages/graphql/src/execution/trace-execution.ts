import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql'
import type { PromiseOrValue } from '../promise-or-value.ts'

/** Calls `execute` once and returns what it returns; what is done around it is its own. */
export type TraceExecution = <Result>(
  operation: {
    readonly type: 'query' | 'mutation' | 'subscription'
    /** As the client or the trusted document has written it: it may be of any length. `null`: it has none. */
    readonly name: string | null
    /** Its document is one of `trustedDocuments`, so that its names are those that the service knows. */
    readonly isTrusted: boolean
  },
  execute: () => Promise<Result> | Result,
) => Promise<Result> | Result

type Execute<Args> = (args: Args) => PromiseOrValue<ExecutionResult>

/** Returns `execute` itself where nothing traces. */
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
