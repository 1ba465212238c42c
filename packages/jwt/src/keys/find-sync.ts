import type { JwtKey } from './jwt-key.ts'
import type { KeyQuery, KeySet } from './key-set.ts'

/** `find` of a key set whose keys are in memory, without the promise, which costs as much as the search. */
export type FindSync = (query: KeyQuery) => JwtKey | null

const syncByAsync = new WeakMap<KeySet['find'], FindSync>()

/** Returns the `find` of a key set whose keys are in memory. */
export function toAsyncFind(findSync: FindSync): KeySet['find'] {
  const find: KeySet['find'] = async (query) => findSync(query)
  syncByAsync.set(find, findSync)
  return find
}

/** Returns what a key set's `find` was made of by `toAsyncFind`, or `null`. */
export function findSyncOf({ find }: KeySet): FindSync | null {
  return syncByAsync.get(find) ?? null
}
