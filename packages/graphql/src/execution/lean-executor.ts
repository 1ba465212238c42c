import { buildSchema, type ExecutionResult, type GraphQLObjectType, parse } from 'graphql'
import { extendExecutor, type Start } from './extend-executor.ts'
import { type ExecutorParts, importParts, validateArgs } from './graphql-internals.ts'
import { KeptSelections } from './kept-selections.ts'

/** Executes operations like `execute` of `graphql` 17, at a lower cost. */
export interface LeanExecutor {
  readonly start: Start
  /** Whether a tracer or another subscriber listens to the channels of `execute`. */
  isTraced(): boolean
}

let loading: Promise<void> | undefined
let loaded: LeanExecutor | null = null

/** Returns the executor once it was loaded, else `null`. */
export function leanExecutor(): LeanExecutor | null {
  return loaded
}

/** Loads the executor if this version of `graphql` supports it. Never rejects. */
export function loadLeanExecutor(): Promise<void> {
  loading ??= importParts().then((parts) => {
    loaded = parts && createLeanExecutor(parts)
  })
  return loading
}

/**
 * Creates the executor from parts of `graphql`. Returns `null` if a first execution shows that the parts have changed,
 * or belong to another copy of `graphql` than the schemas.
 */
function createLeanExecutor(parts: ExecutorParts): LeanExecutor | null {
  const { shouldTrace, executeChannel, executeVariableCoercionChannel } = parts
  try {
    const start = extendExecutor(parts)
    const isTraced = () => shouldTrace(executeChannel) || shouldTrace(executeVariableCoercionChannel)
    const isFit = typeof isTraced() === 'boolean' && isAsExpected(start, false) && isAsExpected(start, true)
    return isFit ? { start, isTraced } : null
  } catch {
    return null
  }
}

/** Executes an operation that uses all parts, with or without kept fields. */
function isAsExpected(start: Start, isKept: boolean): boolean {
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
  const fieldOf = (type: GraphQLObjectType, name: string) => schema.getField(type, name)
  const kept = isKept ? new KeptSelections(fieldOf) : null
  const { data, errors } = start(args, kept).executeRootSelectionSet() as ExecutionResult
  const text = JSON.stringify([data, errors?.map(({ path }) => path)])
  return text === '[{"yes":true,"fails":null,"list":[{"yes":true}]},[["fails"]]]' && signals[0]?.aborted === true
}
