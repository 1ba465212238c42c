import * as graphql from 'graphql'
import {
  type ExecutionResult,
  type GraphQLLeafType,
  type GraphQLObjectType,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getArgumentValues,
  versionInfo,
} from 'graphql'
import type { PromiseOrValue } from '../promise-or-value.ts'
import type { FieldDetails, GroupedFields } from './kept-selections.ts'

// The only file that uses internal parts of `graphql` 17. If they have changed, `execute` executes.

/** Arguments that `validateExecutionArgs` of `graphql` 17 has checked. `graphql` 16 has no such type. */
export interface ValidatedArgs {
  readonly schema: graphql.GraphQLSchema
  readonly fragmentDefinitions: GraphQLResolveInfo['fragments']
  readonly operation: GraphQLResolveInfo['operation']
  readonly rootValue: unknown
  readonly contextValue: unknown
  readonly variableValues: GraphQLResolveInfo['variableValues']
  readonly rawVariableValues: unknown
  readonly hideSuggestions?: boolean
}

/** An execution that can be aborted. */
export interface Execution {
  /** Executes the operation; the result rejects once the execution is aborted. */
  executeRootSelectionSet(): PromiseOrValue<ExecutionResult>
  /** Stops the execution, and aborts the signal of the resolvers. */
  abort(reason: unknown): void
}

/** The internal parts of `graphql` that this package uses. */
export interface ExecutorParts {
  /** The class that executes an operation. */
  readonly Executor: ExecutorClass
  /** Creates the part that several executions may share. */
  readonly createSharedExecutionContext: (signal: undefined) => SharedContext
  /** Collects the fields that a list of nodes selects on an object type. */
  readonly collectSubfields: (
    args: ValidatedArgs,
    type: GraphQLObjectType,
    details: FieldDetails,
  ) => { readonly groupedFieldSet: GroupedFields }
  readonly shouldTrace: (channel: unknown) => boolean
  readonly executeChannel: unknown
  readonly executeVariableCoercionChannel: unknown
  readonly resolveChannel: unknown
}

/** The class of `graphql` that executes an operation. */
export type ExecutorClass = typeof ExecutorOfGraphql

export type Path = GraphQLResolveInfo['path']
export type Info = GraphQLResolveInfo

declare class ExecutorOfGraphql implements Execution {
  readonly validatedExecutionArgs: ValidatedArgs
  readonly sharedExecutionContext: SharedContext
  readonly getAbortSignal: SharedContext['getAbortSignal']
  readonly getAsyncHelpers: unknown
  readonly promiseAll: (values: readonly unknown[]) => Promise<unknown[]>
  readonly aborted: boolean
  readonly abortReason: unknown
  readonly collectedErrors: { add(error: graphql.GraphQLError, path: undefined): void }
  /** Rejects the returned result. */
  abortResultPromise: (() => void) | undefined
  constructor(args: ValidatedArgs, shared: SharedContext)
  executeRootSelectionSet(): PromiseOrValue<ExecutionResult>
  abort(reason: unknown): void
  buildResponse(data: unknown): ExecutionResult
  finish(response: ExecutionResult): ExecutionResult
  createAbortedExecutionError(response: PromiseOrValue<ExecutionResult>): Error
  executeCollectedRootFields(
    type: GraphQLObjectType,
    source: unknown,
    fields: GroupedFields,
    ...rest: unknown[]
  ): unknown
  executeFields(
    type: GraphQLObjectType,
    source: unknown,
    path: Path | undefined,
    fields: GroupedFields,
    position: undefined,
  ): unknown
  collectAndExecuteSubfields(
    type: GraphQLObjectType,
    details: FieldDetails,
    path: Path,
    source: unknown,
    position: undefined,
  ): unknown
  completeValue(
    type: GraphQLOutputType,
    details: FieldDetails,
    info: Info,
    path: Path,
    value: unknown,
    position: undefined,
  ): unknown
  completeLeafValue(type: GraphQLLeafType, value: unknown): unknown
  completeIterableValue(
    itemType: GraphQLOutputType,
    details: FieldDetails,
    info: Info,
    path: Path,
    items: Iterable<unknown>,
    position: undefined,
  ): unknown
  completeMaybePromisedListItemValue(
    item: unknown,
    completed: unknown[],
    itemType: GraphQLOutputType,
    details: FieldDetails,
    info: Info,
    path: Path,
    position: undefined,
  ): boolean
  handleFieldError(error: unknown, type: GraphQLOutputType, details: FieldDetails, path: Path): void
}

interface SharedContext {
  getAbortSignal: () => AbortSignal | undefined
  readonly asyncWorkTracker: { addValues(values: readonly unknown[]): void }
}

/** The versions whose internal parts the tests have proven. */
const provenVersions = ['17.1']

/**
 * The names are joined at run time: bundlers ignore such imports, and would fail at a file that `graphql` 16 does not
 * have.
 */
export async function importParts(): Promise<ExecutorParts | null> {
  if (!provenVersions.includes(`${versionInfo.major}.${versionInfo.minor}`)) return null
  const files = ['execution/Executor', 'execution/createSharedExecutionContext', 'diagnostics']
  try {
    const parts = await Promise.all(
      files.map((file) => import(/* @vite-ignore */ /* webpackIgnore: true */ `graphql/${file}.js`)),
    )
    return Object.assign({}, ...parts)
  } catch {
    return null
  }
}

/**
 * `graphql` 17 accepts more arguments than its types: values of variables of fragments, and whether to suggest names.
 */
export const argumentValues = getArgumentValues as (...given: unknown[]) => Record<string, unknown>

/** Only `graphql` 17 has this public function. */
const { validateExecutionArgs } = graphql as {
  readonly validateExecutionArgs?: (args: object) => ValidatedArgs | readonly unknown[]
}

/** Returns the arguments, validated by `graphql` 17; `null` if it refuses them, or with another version. */
export function validateArgs(args: object): ValidatedArgs | null {
  const validated = validateExecutionArgs?.(args)
  return validated && 'schema' in validated ? validated : null
}
