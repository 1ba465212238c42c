import { type ExecutionResult, type GraphQLObjectType, type GraphQLOutputType, locatedError } from 'graphql'
import type { PromiseOrValue } from '../promise-or-value.ts'
import {
  argumentValues,
  type Execution,
  type ExecutorParts,
  type Info,
  type Path,
  type ValidatedArgs,
} from './graphql-internals.ts'
import {
  type FieldDetails,
  type GroupedFields,
  type KeptField,
  KeptFields,
  type KeptSelections,
} from './kept-selections.ts'

/**
 * Begins an execution.
 *
 * @param kept what is known of the fields of the operation; `null`: variables decide which are executed.
 */
export type Start = (args: ValidatedArgs, kept: KeptSelections | null) => Execution

/**
 * This class ignores `@defer` and `@stream`, for which that of `execute` looks at each list. Documents with them were
 * refused before, and schemas that know them are left to `execute`.
 *
 * Of each operation `graphql` makes an `AbortController` and aborts it at the end, which costs more than most operations. It
 * keeps collected fields by the arguments of a request, in weak maps, which is most of the work of the garbage collector.
 */
export function extendExecutor(parts: ExecutorParts): Start {
  const { Executor, createSharedExecutionContext, collectSubfields, shouldTrace, resolveChannel } = parts
  class Lean extends Executor {
    readonly #signal: LazySignal
    readonly #kept: KeptSelections | null

    constructor(args: ValidatedArgs, kept: KeptSelections | null) {
      const signal = new LazySignal()
      const shared = createSharedExecutionContext(undefined)
      const getAbortSignal = () => signal.get()
      shared.getAbortSignal = getAbortSignal
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

    override executeRootSelectionSet(): PromiseOrValue<ExecutionResult> {
      const { schema, operation, rootValue } = this.validatedExecutionArgs
      const type = operation.operation === 'query' ? schema.getQueryType() : null
      const fields = type && this.#kept?.get(null, type)
      if (!type || !fields) return super.executeRootSelectionSet()
      let data: unknown
      try {
        data = this.executeFields(type, rootValue, undefined, fields, undefined)
      } catch (error) {
        return this.finish(this.#answerFailed(error))
      }
      return data instanceof Promise ? this.#answerLater(data) : this.finish(this.buildResponse(data))
    }

    #answerFailed(error: unknown): ExecutionResult {
      this.collectedErrors.add(locatedError(error, undefined), undefined)
      return this.buildResponse(null)
    }

    #answerLater(data: Promise<unknown>): Promise<ExecutionResult> {
      const { promise, resolve, reject } = Promise.withResolvers<ExecutionResult>()
      const built = data.then(
        (settled) => this.buildResponse(settled),
        (error: unknown) => this.#answerFailed(error),
      )
      built.then((response) => this.finish(response)).then(resolve, reject)
      const abortResult = () => reject(this.createAbortedExecutionError(built))
      this.abortResultPromise = abortResult
      if (this.aborted) this.abortResultPromise()
      return promise
    }

    override executeFields(
      type: GraphQLObjectType,
      source: unknown,
      path: Path | undefined,
      grouped: GroupedFields,
      position: undefined,
    ): unknown {
      if (!(grouped instanceof KeptFields)) return super.executeFields(type, source, path, grouped, position)
      const results = new Results(grouped.hasProto)
      for (const field of grouped.fields) {
        results.data[field.name] = field.isProperty
          ? this.#readProperty(results, type, source, path, field)
          : this.#executeField(results, type, source, { prev: path, key: field.name, typename: type.name }, field)
      }
      return results.whole()
    }

    /** As the default resolver reads it. Most fields are scalars that are there: these need no path and no `info`. */
    #readProperty(
      results: Results,
      type: GraphQLObjectType,
      source: unknown,
      above: Path | undefined,
      field: KeptField,
    ): unknown {
      const { definition, details, leaf, name } = field
      try {
        const value = isObjectLike(source) ? source[definition.name] : undefined
        if (leaf && isPlain(value)) return this.completeLeafValue(leaf, value)
        const path = { prev: above, key: name, typename: type.name }
        const info = this.#infoOf(type, path, field)
        const isMethod = typeof value === 'function' && isObjectLike(source)
        const result = isMethod ? this.#callMethod(source, definition.name, info) : value
        return this.#complete(results, field, info, path, result)
      } catch (error) {
        this.handleFieldError(error, definition.type, details, { prev: above, key: name, typename: type.name })
        return null
      }
    }

    #callMethod(source: Record<string, unknown>, name: string, info: Info): unknown {
      const { contextValue } = this.validatedExecutionArgs
      return (source as Record<string, Method>)[name]?.(Object.create(null), contextValue, info)
    }

    #executeField(results: Results, type: GraphQLObjectType, source: unknown, path: Path, field: KeptField): unknown {
      const { definition, details, nodes, resolve } = field
      const { contextValue, variableValues, hideSuggestions } = this.validatedExecutionArgs
      const info = this.#infoOf(type, path, field)
      try {
        const args = argumentValues(definition, nodes[0], variableValues, undefined, hideSuggestions)
        return this.#complete(results, field, info, path, resolve(source, args, contextValue, info))
      } catch (error) {
        this.handleFieldError(error, definition.type, details, path)
        return null
      }
    }

    /** Returns nothing of what has to be waited for: it is set once it is there. */
    #complete(results: Results, field: KeptField, info: Info, path: Path, result: unknown): unknown {
      const { definition, details, name } = field
      const { type } = definition
      const isPromised = isPromiseLike(result)
      const completed = isPromised ? result : this.completeValue(type, details, info, path, result, undefined)
      if (!isPromised && !(completed instanceof Promise)) return completed
      const fail = (error: unknown): void => {
        try {
          this.handleFieldError(error, type, details, path)
          results.set(name, null)
        } catch (located) {
          results.fail(located)
        }
      }
      const set = (value: unknown): void => results.set(name, value)
      const completeLater = (value: unknown): void => {
        try {
          if (this.aborted) throw new Error('Aborted!')
          const later = this.completeValue(type, details, info, path, value, undefined)
          if (later instanceof Promise) later.then(set, fail)
          else results.set(name, later)
        } catch (error) {
          fail(error)
        }
      }
      results.wait()
      const promise = completed instanceof Promise ? completed : Promise.resolve(completed)
      promise.then(isPromised ? completeLater : set, fail)
      return undefined
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

/** The answer for one object, some of which may have to be waited for. */
class Results {
  /** An object without a prototype takes several times as long to fill and to write as JSON. */
  readonly data: Record<string, unknown>
  #waiting = 0
  #whole: PromiseWithResolvers<Record<string, unknown>> | null = null

  constructor(hasProto: boolean) {
    this.data = hasProto ? Object.create(null) : {}
  }

  wait(): void {
    this.#waiting++
  }

  set(name: string, value: unknown): void {
    this.data[name] = value
    this.#waiting--
    if (this.#waiting === 0) this.#whole?.resolve(this.data)
  }

  /** The object is none: a field that must not be null has failed. */
  fail(error: unknown): void {
    this.#whole?.reject(error)
  }

  /** As many turns after the last result as `Promise.all` and `graphql` take: of two failures the same one comes first. */
  whole(): PromiseOrValue<Record<string, unknown>> {
    if (this.#waiting === 0) return this.data
    this.#whole = Promise.withResolvers()
    return this.#whole.promise.then(itself).then(itself)
  }
}

const itself = (data: Record<string, unknown>): Record<string, unknown> => data

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
