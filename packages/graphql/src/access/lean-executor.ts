import * as graphql from 'graphql'
import { buildSchema, type ExecutionResult, parse, versionInfo } from 'graphql'
import type { PromiseOrValue } from '../promise-or-value.ts'

// All that is used of `graphql` 17 without being its public API stands in this file. Where it is not what it was, `execute`
// executes.

/** Arguments that `validateExecutionArgs` of `graphql` 17 has checked. `graphql` 16 has no such type. */
export type ValidatedArgs = Readonly<Record<string, unknown>>

/** One execution, which can be ended before it is done. */
export interface Execution {
  /** Executes the operation; the result rejects once the execution is aborted. */
  executeRootSelectionSet(): PromiseOrValue<ExecutionResult>
  /** Lets nothing more run, and aborts the signal of the resolvers. */
  abort(reason: unknown): void
}

/** Executes operations as `execute` of `graphql` 17 does, for less. */
export interface LeanExecutor {
  start(args: ValidatedArgs): Execution
  /** Whether something listens to what `execute` says of each operation, such as a tracer. */
  isTraced(): boolean
}

/** What of `graphql` is needed beside its public functions. */
interface ExecutorParts {
  /** The class that executes an operation. */
  readonly Executor: new (
    args: ValidatedArgs,
    shared: SharedContext,
  ) => ExecutorOfGraphql
  /** The part of it that several executions may share. */
  readonly createSharedExecutionContext: (signal: undefined) => SharedContext
  readonly shouldTrace: (channel: unknown) => boolean
  readonly executeChannel: unknown
  readonly executeVariableCoercionChannel: unknown
}

interface ExecutorOfGraphql extends Execution {
  readonly aborted: boolean
  readonly abortReason: unknown
  buildResponse(data: unknown): ExecutionResult
}

interface SharedContext {
  readonly getAbortSignal: () => AbortSignal | undefined
}

/** The versions whose parts are known to be these, each proven by the tests. */
const provenVersions = ['17.1']

let loading: Promise<void> | undefined
let loaded: LeanExecutor | null = null

/** Returns the executor once it was loaded, else `null`. */
export function leanExecutor(): LeanExecutor | null {
  return loaded
}

/** Loads the executor where it can be used. It never rejects. */
export function loadLeanExecutor(): Promise<void> {
  loading ??= importParts().then((parts) => {
    loaded = parts && createLeanExecutor(parts)
  })
  return loading
}

/**
 * The names are put together while the program runs: a bundler leaves such imports alone, and would stop at a file that
 * `graphql` 16 does not have.
 */
async function importParts(): Promise<ExecutorParts | null> {
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
 * Creates the executor of parts of `graphql`. Returns `null` when a first execution shows that they are not what they were,
 * or belong to another copy of `graphql` than the schemas.
 */
function createLeanExecutor(parts: ExecutorParts): LeanExecutor | null {
  const { shouldTrace, executeChannel, executeVariableCoercionChannel } = parts
  try {
    const start = extendExecutor(parts)
    const isTraced = () => shouldTrace(executeChannel) || shouldTrace(executeVariableCoercionChannel)
    return typeof isTraced() === 'boolean' && isAsExpected(start) ? { start, isTraced } : null
  } catch {
    return null
  }
}

type Start = LeanExecutor['start']

/**
 * This class ignores `@defer` and `@stream`, for which that of `execute` looks at each list. Documents with them were
 * refused before, and schemas that know them are left to `execute`.
 *
 * Of each operation `graphql` makes an `AbortController` and aborts it at the end, which costs more than most operations.
 */
function extendExecutor({ Executor, createSharedExecutionContext }: ExecutorParts): Start {
  class Lean extends Executor {
    readonly #signal: LazySignal

    constructor(args: ValidatedArgs, signal: LazySignal) {
      super(args, { ...createSharedExecutionContext(undefined), getAbortSignal: () => signal.get() })
      this.#signal = signal
    }

    override abort(reason: unknown): void {
      if (this.aborted) return
      super.abort(reason)
      this.#signal.abort(this.abortReason)
    }

    override buildResponse(data: unknown): ExecutionResult {
      this.#signal.abort(undefined)
      return super.buildResponse(data)
    }
  }
  return (args) => new Lean(args, new LazySignal())
}

/** A signal that is made when a resolver asks for it; it was aborted for the same reason then. */
class LazySignal {
  #controller: AbortController | null = null
  #isOver = false
  #reason: unknown

  get(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#isOver) this.#controller.abort(this.#reason)
    }
    return this.#controller.signal
  }

  abort(reason: unknown): void {
    if (this.#isOver) return
    this.#isOver = true
    this.#reason = reason
    this.#controller?.abort(reason)
  }
}

/** Executes an operation that needs all of it. */
function isAsExpected(start: Start): boolean {
  const schema = buildSchema('type Query { yes: Boolean!, fails: Int, list: [Query!] }')
  const document = parse('{ yes fails list { yes } }')
  const signals: (AbortSignal | undefined)[] = []
  const rootValue = {
    yes: true,
    fails() {
      throw new Error('expected')
    },
    list(_args: unknown, _context: unknown, info: { readonly getAbortSignal?: () => AbortSignal | undefined }) {
      signals.push(info.getAbortSignal?.())
      return [{ yes: signals[0]?.aborted === false }]
    },
  }
  const args = validateArgs({ schema, document, rootValue })
  if (!args) return false
  const { data, errors } = start(args).executeRootSelectionSet() as ExecutionResult
  const text = JSON.stringify([data, errors?.map(({ path }) => path)])
  return text === '[{"yes":true,"fails":null,"list":[{"yes":true}]},[["fails"]]]' && signals[0]?.aborted === true
}

/** Only `graphql` 17 has this public function. */
const { validateExecutionArgs } = graphql as {
  readonly validateExecutionArgs?: (args: object) => ValidatedArgs | readonly unknown[]
}

/** Returns the arguments as `graphql` 17 validates them; `null` where it refuses them, or is no 17. */
export function validateArgs(args: object): ValidatedArgs | null {
  const validated = validateExecutionArgs?.(args)
  return validated && 'schema' in validated ? validated : null
}
