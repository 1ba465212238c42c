import type { JwtKey } from './jwt-key.ts'
import type { KeySet } from './key-set.ts'

/** `find` of a key set, without the promise for a key in memory: it costs as much as the search. */
export type FindAtOnce = (query: Parameters<KeySet['find']>[0]) => JwtKey | null | Promise<JwtKey | null>

const atOnceByAsync = new WeakMap<KeySet['find'], FindAtOnce>()

/** Returns the `find` of a key set that finds at once what it has in memory. */
export function toAsyncFind(findAtOnce: FindAtOnce): KeySet['find'] {
  const find: KeySet['find'] = async (query) => findAtOnce(query)
  atOnceByAsync.set(find, findAtOnce)
  return find
}

/** Returns what a key set's `find` was made of by `toAsyncFind`, or `null`. */
export function findAtOnceOf({ find }: KeySet): FindAtOnce | null {
  return atOnceByAsync.get(find) ?? null
}
