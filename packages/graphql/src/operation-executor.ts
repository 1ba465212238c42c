import type { ExecutionResult } from 'graphql'
import type { PreparedArgs } from './access/prepare.ts'

/** Executes a prepared operation instead of `execute` of `graphql`. */
export type OperationExecutor = (args: PreparedArgs) => Promise<ExecutionResult> | ExecutionResult
