import {
  defaultTypeResolver,
  type GraphQLAbstractType,
  GraphQLList,
  GraphQLNonNull,
  type GraphQLOutputType,
  type GraphQLTypeResolver,
  isAbstractType,
  isListType,
  isNonNullType,
} from 'graphql'
import { SealedContext } from '../access/sealed-request.ts'

/**
 * Gives a type whose values can be told apart without a throw: where a program of `graphql-jit` throws while it goes
 * through a value, nobody catches it.
 */
export function guardType(type: GraphQLOutputType): GraphQLOutputType {
  if (isNonNullType(type)) return new GraphQLNonNull(guardType(type.ofType) as never)
  if (isListType(type)) return new GraphQLList(guardType(type.ofType))
  if (!isAbstractType(type)) return type
  return Object.create(type, { resolveType: { value: guardResolveType(type) } }) as GraphQLAbstractType
}

/** What is not told at once, and by a name, is left to `graphql`: the whole operation is executed again. */
function guardResolveType(type: GraphQLAbstractType): GraphQLTypeResolver<unknown, unknown> {
  return (value, context, info) => {
    try {
      const name = (type.resolveType ?? defaultTypeResolver)(value, context, info, type)
      if (typeof name === 'string') return name
      if (typeof name === 'object') name.catch(() => undefined)
    } catch {
      // `graphql` will meet it again, and say so.
    }
    const seal = SealedContext.sealOf(context)
    if (seal) seal.isUnfit = true
    return undefined
  }
}

/** Gives what a resolver gave as what a program can go through: of promises native ones, of lists arrays. */
export function settle(value: unknown, isList: boolean): unknown {
  if (typeof value !== 'object' || value === null || Array.isArray(value)) return value
  if ('then' in value && typeof value.then === 'function') {
    return isList || !(value instanceof Promise) ? Promise.resolve(value).then((given) => settle(given, isList)) : value
  }
  if (!isList) return value
  if (Symbol.asyncIterator in value) return collect(value as AsyncIterable<unknown>)
  return Symbol.iterator in value ? Array.from(value as Iterable<unknown>) : value
}

async function collect(items: AsyncIterable<unknown>): Promise<readonly unknown[]> {
  const all: unknown[] = []
  for await (const item of items) all.push(item)
  return all
}
