import { buildSchema, type ExecutionResult, type GraphQLObjectType, type GraphQLOutputType, parse } from 'graphql'
import {
  argumentValues,
  type Execution,
  type ExecutorParts,
  type Info,
  importParts,
  type Path,
  type ValidatedArgs,
  validateArgs,
} from './graphql-internals.ts'
import { type FieldDetails, type GroupedFields, type KeptField, KeptFields, KeptSelections } from './kept-selections.ts'

/** Executes operations as `execute` of `graphql` 17 does, for less. */
export interface LeanExecutor {
  /** @param kept what is known of the fields of the operation; `null`: variables decide which are executed. */
  start(args: ValidatedArgs, kept: KeptSelections | null): Execution
  /** Whether something listens to what `execute` says of each operation, such as a tracer. */
  isTraced(): boolean
}

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
 * Creates the executor of parts of `graphql`. Returns `null` when a first execution shows that they are not what they were,
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

type Start = LeanExecutor['start']

/**
 * This class ignores `@defer` and `@stream`, for which that of `execute` looks at each list. Documents with them were
 * refused before, and schemas that know them are left to `execute`.
 *
 * Of each operation `graphql` makes an `AbortController` and aborts it at the end, which costs more than most operations. It
 * keeps collected fields by the arguments of a request, in weak maps, which is most of the work of the garbage collector.
 */
function extendExecutor(parts: ExecutorParts): Start {
  const { Executor, createSharedExecutionContext, collectSubfields, shouldTrace, resolveChannel } = parts
  class Lean extends Executor {
    readonly #signal: LazySignal
    readonly #kept: KeptSelections | null

    constructor(args: ValidatedArgs, kept: KeptSelections | null) {
      const signal = new LazySignal()
      const shared = createSharedExecutionContext(undefined)
      shared.getAbortSignal = () => signal.get()
      super(args, shared)
      this.#signal = signal
      // A tracer of resolvers is told of each one by the methods of `graphql`.
      this.#kept = shouldTrace(resolveChannel) ? null : kept
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

    override executeCollectedRootFields(
      type: GraphQLObjectType,
      source: unknown,
      grouped: GroupedFields,
      ...rest: unknown[]
    ): unknown {
      const fields = this.#kept ? (this.#kept.get(null, type) ?? this.#kept.keep(null, type, grouped)) : grouped
      return super.executeCollectedRootFields(type, source, fields, ...rest)
    }

    override collectAndExecuteSubfields(
      type: GraphQLObjectType,
      details: FieldDetails,
      path: Path,
      source: unknown,
      position: undefined,
    ): unknown {
      const kept = this.#kept
      if (!kept) return super.collectAndExecuteSubfields(type, details, path, source, position)
      const fields =
        kept.get(details, type) ??
        kept.keep(details, type, collectSubfields(this.validatedExecutionArgs, type, details).groupedFieldSet)
      return this.executeFields(type, source, path, fields, undefined)
    }

    override executeFields(
      type: GraphQLObjectType,
      source: unknown,
      path: Path | undefined,
      grouped: GroupedFields,
      position: undefined,
    ): unknown {
      if (!(grouped instanceof KeptFields)) return super.executeFields(type, source, path, grouped, position)
      // An object without a prototype takes several times as long to fill and to write as JSON.
      const results: Record<string, unknown> = grouped.hasProto ? Object.create(null) : {}
      return this.#fill(results, { type, source, path, fields: grouped.fields }) ? this.#settle(results) : results
    }

    /** Returns whether some of the results have to be waited for. */
    #fill(results: Record<string, unknown>, { type, source, path, fields }: Asked): boolean {
      let isWaiting = false
      try {
        for (const field of fields) {
          const result = this.#executeKept(type, source, path, field)
          results[field.name] = result
          if (result instanceof Promise) isWaiting = true
        }
      } catch (error) {
        if (isWaiting) this.sharedExecutionContext.asyncWorkTracker.addValues(Object.values(results))
        throw error
      }
      return isWaiting
    }

    #executeKept(type: GraphQLObjectType, source: unknown, path: Path | undefined, field: KeptField): unknown {
      return field.isProperty
        ? this.#readProperty(type, source, path, field)
        : this.#executeField(type, source, { prev: path, key: field.name, typename: type.name }, field)
    }

    #settle(results: Record<string, unknown>): Promise<unknown> {
      const names = Object.keys(results)
      return this.promiseAll(Object.values(results)).then((settled) => {
        for (let index = 0; index < names.length; index++) results[names[index] ?? ''] = settled[index]
        return results
      })
    }

    /** As the default resolver reads it. Most fields are scalars that are there: these need no path and no `info`. */
    #readProperty(type: GraphQLObjectType, source: unknown, above: Path | undefined, field: KeptField): unknown {
      const { definition, details, leaf, name } = field
      try {
        const value = isObjectLike(source) ? source[definition.name] : undefined
        if (leaf && isPlain(value)) return this.completeLeafValue(leaf, value)
        const path = { prev: above, key: name, typename: type.name }
        const info = this.#infoOf(type, path, field)
        const isMethod = typeof value === 'function' && isObjectLike(source)
        const result = isMethod ? this.#callMethod(source, definition.name, info) : value
        return this.#complete(field, info, path, result)
      } catch (error) {
        this.handleFieldError(error, definition.type, details, { prev: above, key: name, typename: type.name })
        return null
      }
    }

    #callMethod(source: Record<string, unknown>, name: string, info: Info): unknown {
      const { contextValue } = this.validatedExecutionArgs
      return (source as Record<string, Method>)[name]?.(Object.create(null), contextValue, info)
    }

    #executeField(type: GraphQLObjectType, source: unknown, path: Path, field: KeptField): unknown {
      const { definition, details, nodes, resolve } = field
      const { contextValue, variableValues, hideSuggestions } = this.validatedExecutionArgs
      const info = this.#infoOf(type, path, field)
      try {
        const args = argumentValues(definition, nodes[0], variableValues, undefined, hideSuggestions)
        return this.#complete(field, info, path, resolve(source, args, contextValue, info))
      } catch (error) {
        this.handleFieldError(error, definition.type, details, path)
        return null
      }
    }

    #complete({ definition, details }: KeptField, info: Info, path: Path, result: unknown): unknown {
      const { type } = definition
      if (isPromiseLike(result)) return this.completePromisedValue(type, details, info, path, result, undefined)
      const completed = this.completeValue(type, details, info, path, result, undefined)
      if (!(completed instanceof Promise)) return completed
      return completed.then(undefined, (error) => {
        this.handleFieldError(error, type, details, path)
        return null
      })
    }

    /** The nodes are the request's own: a resolver may change their list. */
    #infoOf(parentType: GraphQLObjectType, path: Path, { definition, nodes }: KeptField): Info {
      const { schema, fragmentDefinitions, rootValue, operation, variableValues } = this.validatedExecutionArgs
      return {
        fieldName: definition.name,
        fieldNodes: nodes.slice(),
        returnType: definition.type,
        parentType,
        path,
        schema,
        fragments: fragmentDefinitions,
        rootValue,
        operation,
        variableValues,
        getAbortSignal: this.getAbortSignal,
        getAsyncHelpers: this.getAsyncHelpers,
      } as Info
    }

    override completeIterableValue(
      itemType: GraphQLOutputType,
      details: FieldDetails,
      info: Info,
      path: Path,
      items: Iterable<unknown>,
      position: undefined,
    ): unknown {
      if (!isPlainArray(items)) return super.completeIterableValue(itemType, details, info, path, items, position)
      const completed: unknown[] = []
      let isWaiting = false
      for (let index = 0; index < items.length; index++) {
        const at = { prev: path, key: index, typename: undefined }
        try {
          if (this.completeMaybePromisedListItemValue(items[index], completed, itemType, details, info, at, undefined))
            isWaiting = true
        } catch (error) {
          this.sharedExecutionContext.asyncWorkTracker.addValues([...completed, ...items.slice(index + 1)])
          throw error
        }
      }
      return isWaiting ? this.promiseAll(completed) : completed
    }
  }
  return (args, kept) => new Lean(args, kept)
}

/** What is asked of one object. */
interface Asked {
  readonly type: GraphQLObjectType
  readonly source: unknown
  readonly path: Path | undefined
  readonly fields: readonly KeptField[]
}

type Method = (args: object, context: unknown, info: Info) => unknown

function isObjectLike(value: unknown): value is Record<string, unknown> {
  return (typeof value === 'object' && value !== null) || typeof value === 'function'
}

function isPlain(value: unknown): boolean {
  return typeof value === 'string' || typeof value === 'number' || typeof value === 'boolean'
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

const valuesOfArray = Array.prototype[Symbol.iterator]

/** Whether going through it by index is what its iterator does. */
function isPlainArray(items: Iterable<unknown>): items is unknown[] {
  return Array.isArray(items) && items[Symbol.iterator] === valuesOfArray
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

/** Executes an operation that needs all of it, with and without what is kept of its fields. */
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
  const kept = isKept ? new KeptSelections({ fieldOf, onGrown: () => undefined }) : null
  const { data, errors } = start(args, kept).executeRootSelectionSet() as ExecutionResult
  const text = JSON.stringify([data, errors?.map(({ path }) => path)])
  return text === '[{"yes":true,"fails":null,"list":[{"yes":true}]},[["fails"]]]' && signals[0]?.aborted === true
}
