import {
  type DocumentNode,
  type ExecutionResult,
  execute,
  type GraphQLSchema,
  getOperationAST,
  versionInfo,
} from 'graphql'
import type { PreparedArgs } from '../access/prepare.ts'
import { SealedContext } from '../access/sealed-request.ts'
import { fragmentsOf } from '../documents/fragments-of.ts'
import type { OperationExecutor } from '../operation-executor.ts'
import { isCompilable } from './jit-compilable.ts'
import { type Conditions, conditionsOf, specialise } from './jit-document.ts'
import { locateJitErrors } from './jit-errors.ts'
import { createJitSchema, type JitParts } from './jit-schema.ts'

/** The part of `graphql-jit` that is used: `import * as graphqlJit from 'graphql-jit'`. */
export interface GraphqlJit {
  compileQuery(
    schema: GraphQLSchema,
    document: DocumentNode,
    operationName?: string,
    options?: { readonly disablingCapturingStackErrors?: boolean },
  ): CompiledOperation | ExecutionResult<unknown>
}

interface CompiledOperation {
  query(
    root: unknown,
    context: unknown,
    variables: { [name: string]: unknown },
  ): Promise<ExecutionResult<unknown>> | ExecutionResult<unknown>
}

export interface JitExecutorOptions {
  /**
   * Promises that objects given by resolvers hold values only: a field without a resolver is then read and never
   * called or awaited, which is several times as fast for long lists. Default `false`: methods and promises in them work.
   */
  readonly plainObjects?: boolean
  /**
   * How often `graphql` executes an operation, in each way in which its conditions can be met, before it is compiled. To
   * compile takes ten to thirty times as long as to execute, so with the default, 20, documents of strangers cost about
   * twice of what they would cost anyway. 1 is for documents that are all your own.
   */
  readonly usesBeforeCompiling?: number
}

/** Each doubles the number of programs. */
const conditionsAtMost = 4

/** What has become of an operation. */
interface Use {
  readonly conditions: readonly string[]
  readonly outcomes: Map<string, Outcome>
}

/** One way in which the conditions of an operation can be met. `null`: it cannot be compiled. */
interface Outcome {
  count: number
  program?: Program | null
}

type Program = CompiledOperation['query']

/**
 * Gives an executor that compiles operations which come again to JavaScript, by `graphql-jit` (0.8.9 or later, with
 * `graphql` 17). What it cannot do exactly as `graphql` does is executed by `graphql`: see the README.
 *
 * @throws TypeError when it is given something else than `graphql-jit`, and when an option cannot be used.
 *
 * @example
 * import type { EndpointOptions } from '@latchkey/graphql'
 * import { type GraphqlJit, jitExecutor } from '@latchkey/graphql/jit'
 * declare const graphqlJit: GraphqlJit // import * as graphqlJit from 'graphql-jit'
 * export const endpoint: EndpointOptions = { executor: jitExecutor(graphqlJit) }
 */
export function jitExecutor(
  graphqlJit: GraphqlJit,
  { plainObjects = false, usesBeforeCompiling = 20 }: JitExecutorOptions = {},
): OperationExecutor {
  if (!Number.isSafeInteger(usesBeforeCompiling) || usesBeforeCompiling < 1) {
    throw new TypeError('"usesBeforeCompiling" must be a whole number from 1')
  }
  if (typeof graphqlJit?.compileQuery !== 'function') throw new TypeError('"graphqlJit" must be the module graphql-jit')
  if (versionInfo.major < 17) return execute as OperationExecutor
  const schemas = new WeakMap<GraphQLSchema, GraphQLSchema>()
  const copies: JitParts['copies'] = new WeakMap()
  const schemaOf = (sealed: GraphQLSchema): GraphQLSchema => {
    const known = schemas.get(sealed) ?? createJitSchema({ sealed, plainObjects, copies })
    schemas.set(sealed, known)
    return known
  }
  const programOf = (args: PreparedArgs, { conditions, outcomes }: Use): Program | null => {
    const met = meet(args, conditions)
    if (!met) return null
    const key = [...met.values()].join()
    const outcome = outcomes.get(key) ?? { count: 0 }
    outcomes.set(key, outcome)
    if (outcome.count < usesBeforeCompiling) {
      outcome.count++
      return null
    }
    if (outcome.program === undefined) {
      outcome.program = compile(args, met, { graphqlJit, schema: schemaOf(args.schema), copies })
    }
    return outcome.program
  }
  const uses = createUses()
  return (args) => {
    const program = programOf(args, uses.of(args))
    return program ? run(program, args) : (execute(args) as ReturnType<OperationExecutor>)
  }
}

/** A document is forgotten with the cache of documents, and what was compiled of it too. */
function createUses(): { of(args: PreparedArgs): Use } {
  const documents = new WeakMap<DocumentNode, Map<string, Use>>()
  return {
    of({ document, operationName }) {
      const uses = documents.get(document) ?? new Map<string, Use>()
      documents.set(document, uses)
      const use = uses.get(operationName ?? '') ?? { conditions: conditionsOf(document), outcomes: new Map() }
      uses.set(operationName ?? '', use)
      return use
    },
  }
}

/** Gives the conditions as this request meets them; `null` where they are too many, or nobody has decided on them. */
function meet({ contextValue }: PreparedArgs, names: readonly string[]): Conditions | null {
  const variables = SealedContext.sealOf(contextValue)?.request.variables
  if (!variables || names.length > conditionsAtMost) return null
  const met = new Map<string, boolean>()
  for (const name of names) {
    const value = variables.read(name)
    if (typeof value !== 'boolean') return null
    met.set(name, value)
  }
  return met
}

interface CompileParts extends Pick<JitParts, 'copies'> {
  readonly graphqlJit: GraphqlJit
  readonly schema: GraphQLSchema
}

/** Gives `null` for what has to be executed by `graphql`. */
function compile(args: PreparedArgs, conditions: Conditions, parts: CompileParts): Program | null {
  const { document, operationName } = args
  const { graphqlJit, schema, copies } = parts
  const operation = getOperationAST(document, operationName)
  const copy = specialise(document, conditions)
  const copied = copy && getOperationAST(copy, operationName)
  if (!operation || !copied || !isCompilable(args.schema, copy, copied)) return null
  copies.set(copied, { operation, fragments: Object.fromEntries(fragmentsOf(document)), conditions })
  const options = { disablingCapturingStackErrors: true }
  const compiled = graphqlJit.compileQuery(schema, copy, operationName ?? undefined, options)
  return 'query' in compiled ? compiled.query : null
}

function run(program: Program, args: PreparedArgs): ReturnType<OperationExecutor> {
  const { document, rootValue, contextValue } = args
  const finish = (result: ExecutionResult): ReturnType<OperationExecutor> => {
    // A query may be executed twice: it changes nothing. Nothing else that is compiled can be unfit.
    if (SealedContext.sealOf(contextValue)?.isUnfit) return execute(args) as ReturnType<OperationExecutor>
    return result.errors ? locateJitErrors(result, document) : result
  }
  const result = program(rootValue, contextValue, {}) as ReturnType<OperationExecutor>
  return 'then' in result ? result.then(finish) : finish(result)
}
