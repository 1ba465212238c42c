import type { ExecutionResult, GraphQLObjectType } from 'graphql'
import type { PromiseOrValue } from '../promise-or-value.ts'
import { executeKeptFields } from './execute-kept-fields.ts'
import type { Execution, ExecutorClass, ExecutorParts, Path, ValidatedArgs } from './graphql-internals.ts'
import { type FieldDetails, type GroupedFields, KeptFields, type KeptSelections } from './kept-selections.ts'
import { withLazySignal } from './lazy-signal.ts'
import { withPlainLists } from './plain-lists.ts'
import { respondToRoot } from './respond-to-root.ts'

/**
 * Starts an execution.
 *
 * @param kept the kept fields of the operation; `null`: variables decide which fields are executed.
 */
export type Start = (args: ValidatedArgs, kept: KeptSelections | null) => Execution

/**
 * Returns a function that starts executions with an extended class of `graphql`. `graphql` keeps collected fields by
 * the arguments of a request, in weak maps, which causes most of the garbage collection; here the first request of a
 * document collects them for all. `@defer` is ignored: see {@link withPlainLists}.
 */
export function extendExecutor(parts: ExecutorParts): Start {
  const { collectSubfields, shouldTrace, resolveChannel } = parts
  class KeepingExecutor extends withPlainLists(withLazySignal(parts)) {
    readonly #kept: KeptSelections | null

    constructor(args: ValidatedArgs, kept: KeptSelections | null) {
      super(args)
      // The methods of `graphql` report each resolver to a tracer.
      this.#kept = shouldTrace(resolveChannel) ? null : kept
    }

    override executeRootSelectionSet(): PromiseOrValue<ExecutionResult> {
      const { schema, operation, rootValue } = this.validatedExecutionArgs
      const type = operation.operation === 'query' ? schema.getQueryType() : null
      const fields = type && this.#kept?.get(null, type)
      if (!type || !fields) return super.executeRootSelectionSet()
      return respondToRoot(this, () => executeKeptFields(this, type, rootValue, undefined, fields))
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
      if (!this.#kept) return super.collectAndExecuteSubfields(type, details, path, source, position)
      const collect = () => collectSubfields(this.validatedExecutionArgs, type, details).groupedFieldSet
      const fields = this.#kept.get(details, type) ?? this.#kept.keep(details, type, collect())
      return executeKeptFields(this, type, source, path, fields)
    }

    override executeFields(...given: Parameters<InstanceType<ExecutorClass>['executeFields']>): unknown {
      const [type, source, path, fields] = given
      return fields instanceof KeptFields
        ? executeKeptFields(this, type, source, path, fields)
        : super.executeFields(...given)
    }
  }
  return (args, kept) => new KeepingExecutor(args, kept)
}
