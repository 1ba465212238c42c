import { type ExecutionArgs, type ExecutionResult, getOperationAST } from 'graphql'
import type { PromiseOrValue } from '../promise-or-value.ts'
import type { Exchange } from './exchange.ts'

/** An operation that is about to be executed. */
export interface ExecutedOperation {
  readonly type: 'query' | 'mutation' | 'subscription'
  /** As the client or the trusted document has written it: it may be of any length. `null`: it has none. */
  readonly name: string | null
  /** Its document is one of `trustedDocuments`, so that its names are those that the service knows. */
  readonly isTrusted: boolean
}

/** Calls `execute` once and returns what it returns; what is done around it is its own. */
export type TraceExecution = <Result>(
  operation: ExecutedOperation,
  execute: () => PromiseOrValue<Result>,
) => PromiseOrValue<Result>

type Execute = (args: ExecutionArgs) => PromiseOrValue<ExecutionResult>

/** Returns `execute` itself where nothing traces. */
export function traceExecutions(execute: Execute, trace: TraceExecution | undefined): Execute {
  if (!trace) return execute
  return (args) => trace(describeOperation(args), () => execute(args))
}

function describeOperation(args: ExecutionArgs): ExecutedOperation {
  const operation = getOperationAST(args.document, args.operationName)
  const { exchange } = args as ExecutionArgs & { readonly exchange: Exchange }
  return {
    type: operation?.operation ?? 'query',
    name: operation?.name?.value ?? null,
    isTrusted: exchange.isTrusted,
  }
}
