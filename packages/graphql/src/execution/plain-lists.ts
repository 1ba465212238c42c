import type { GraphQLOutputType } from 'graphql'
import type { Info, Path } from './graphql-internals.ts'
import type { FieldDetails } from './kept-selections.ts'
import type { SignallingExecutor } from './lazy-signal.ts'

/**
 * Extends the executor to complete arrays by index. It ignores `@stream`, which `graphql` checks for each list: such
 * documents were refused before, and schemas that define it are left to `execute`.
 */
export function withPlainLists(Executor: SignallingExecutor): SignallingExecutor {
  return class extends Executor {
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
}

const valuesOfArray = Array.prototype[Symbol.iterator]

/** Whether reading it by index gives the same items as its iterator. */
function isPlainArray(items: Iterable<unknown>): items is unknown[] {
  return Array.isArray(items) && items[Symbol.iterator] === valuesOfArray
}
