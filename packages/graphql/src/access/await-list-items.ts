import {
  defaultFieldResolver,
  type GraphQLFieldResolver,
  type GraphQLOutputType,
  type GraphQLResolveInfo,
  getNullableType,
  isLeafType,
  isListType,
  isNonNullType,
  versionInfo,
} from 'graphql'
import type { FieldConfig } from './copy-schema.ts'

// While `graphql` completes a list it holds promises without listeners. If it then waits for the rest of the list, or leaves
// the list because of a later item, such a promise may reject, and an unhandled rejection stops Node.js.

/**
 * Returns a field whose lists never leave a promise of `graphql` without a listener. Other fields and the results of
 * the field stay the same.
 *
 * - Version 17 completes the items of an asynchronous iterable while it waits for the next item. Here the list is
 *   complete before its first item is.
 * - Version 16 leaves a list at the first item that fails at once, and drops the promises of earlier items. Here no
 *   item fails at once.
 */
export function awaitListItems(config: FieldConfig): FieldConfig {
  const settle = settlerOf(config.type)
  if (!settle) return config
  const resolve: GraphQLFieldResolver<unknown, unknown> = config.resolve ?? defaultFieldResolver
  return {
    ...config,
    resolve: (source, args, context, info) => settle(resolve(source, args, context, info), info),
  }
}

/** Returns the value that `graphql` gets instead. */
type Settle = (value: unknown, info: GraphQLResolveInfo) => unknown

const settlerOf = versionInfo.major >= 17 ? settleListV17 : settleListV16

/** Returns the type of the items of a list; `null` for other types. */
function itemsOf(type: GraphQLOutputType): GraphQLOutputType | null {
  const nullable = getNullableType(type)
  return isListType(nullable) ? (nullable.ofType as GraphQLOutputType) : null
}

function settleListV17(type: GraphQLOutputType): Settle | null {
  const items = itemsOf(type)
  if (!items) return null
  const settleItem = settleListV17(items)
  const settle: Settle = (value, info) => {
    if (Array.isArray(value) && !settleItem) return value
    if (isPromiseLike(value)) return Promise.resolve(value).then((found) => settle(found, info))
    if (isAsyncIterable(value)) return readAll(value, info).then((list) => settle(list, info))
    if (!settleItem || !isIterable(value)) return value
    return mapLazily(value, (item) => settleItem(item, info))
  }
  return settle
}

/** Reads items in sequence, as `graphql` does, until the iterable is done or the execution aborted. */
async function readAll(iterable: AsyncIterable<unknown>, info: GraphQLResolveInfo): Promise<unknown[]> {
  const signal = info.getAbortSignal?.()
  const items: unknown[] = []
  const iterator = iterable[Symbol.asyncIterator]()
  for (let next = await iterator.next(); !next.done; next = await iterator.next()) {
    if (signal?.aborted) {
      await iterator.return?.()
      throw signal.reason
    }
    listenTo(next.value)
    items.push(next.value)
  }
  return items
}

function settleListV16(type: GraphQLOutputType): Settle | null {
  const items = itemsOf(type)
  if (!items) return null
  const settleItem = settleListV16(items)
  const settle: Settle = (value, info) => {
    if (isPromiseLike(value)) return Promise.resolve(value).then((found) => settle(found, info))
    if (!isIterable(value)) return value
    const list = readWhole(value)
    const settled = settleItem ? list.map((item) => settleItem(item, info)) : list
    return isNonNullType(items) && !isDoneAtOnce(items, settled) ? settled.map(later) : settled
  }
  return settle
}

/** Whether the items are leaf values: completing them starts no work that could reject later. */
function isDoneAtOnce(type: GraphQLOutputType, items: readonly unknown[]): boolean {
  return isLeafType(getNullableType(type)) && !items.some(isPromiseLike)
}

/** The first item may fail at once, because no earlier item has started. `graphql` listens to all later items. */
function later(item: unknown, index: number): unknown {
  return index === 0 || isPromiseLike(item) ? item : Promise.resolve(item)
}

/** If a generator throws, the items before it are dropped. */
function readWhole(iterable: Iterable<unknown>): readonly unknown[] {
  if (Array.isArray(iterable)) return iterable
  const items: unknown[] = []
  for (const item of iterable) {
    listenTo(item)
    items.push(item)
  }
  return items
}

/** A generator, because `graphql` closes it when an item fails, and so closes the wrapped iterable. */
function* mapLazily(iterable: Iterable<unknown>, map: (item: unknown) => unknown): Generator<unknown> {
  for (const item of iterable) yield map(item)
}

/**
 * Marks a rejection as handled until `graphql` reads the promise. Other thenables may start work when `then` is called,
 * so they are left alone.
 */
function listenTo(value: unknown): void {
  if (value instanceof Promise) value.catch(() => undefined)
}

function isPromiseLike(value: unknown): value is PromiseLike<unknown> {
  return typeof (value as { readonly then?: unknown } | null | undefined)?.then === 'function'
}

function isAsyncIterable(value: unknown): value is AsyncIterable<unknown> {
  return typeof (value as AsyncIterable<unknown> | null | undefined)?.[Symbol.asyncIterator] === 'function'
}

/** `graphql` does not treat strings as lists. */
function isIterable(value: unknown): value is Iterable<unknown> {
  return typeof value === 'object' && value !== null && Symbol.iterator in value
}
