import { type ExecutionResult, locatedError } from 'graphql'
import type { PromiseOrValue } from '../promise-or-value.ts'
import type { ExecutorClass } from './graphql-internals.ts'

type Executor = InstanceType<ExecutorClass>

/** Executes the root fields by `executeRoot` and returns the response, as `executeRootSelectionSet` of `graphql` does. */
export function respondToRoot(executor: Executor, executeRoot: () => unknown): PromiseOrValue<ExecutionResult> {
  let data: unknown
  try {
    data = executeRoot()
  } catch (error) {
    return executor.finish(failedResponse(executor, error))
  }
  return data instanceof Promise ? respondLater(executor, data) : executor.finish(executor.buildResponse(data))
}

function failedResponse(executor: Executor, error: unknown): ExecutionResult {
  executor.collectedErrors.add(locatedError(error, undefined), undefined)
  return executor.buildResponse(null)
}

function respondLater(executor: Executor, data: Promise<unknown>): Promise<ExecutionResult> {
  const { promise, resolve, reject } = Promise.withResolvers<ExecutionResult>()
  const built = data.then(
    (settled) => executor.buildResponse(settled),
    (error: unknown) => failedResponse(executor, error),
  )
  built.then((response) => executor.finish(response)).then(resolve, reject)
  const abortResult = () => reject(executor.createAbortedExecutionError(built))
  executor.abortResultPromise = abortResult
  if (executor.aborted) abortResult()
  return promise
}
