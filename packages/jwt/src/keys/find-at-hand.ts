import type { JwtKey } from './jwt-key.ts'
import type { KeyQuery, KeySet } from './key-set.ts'

/** Looks for a key where all are in hand: the answer needs no promise, which costs as much as the search. */
export type FindAtHand = (query: KeyQuery) => JwtKey | null

const atHand = new WeakMap<KeySet['find'], FindAtHand>()

/** Gives the `find` of a key set whose keys are all in hand. */
export function createFind(find: FindAtHand): KeySet['find'] {
  const findLater: KeySet['find'] = async (query) => find(query)
  atHand.set(findLater, find)
  return findLater
}

/** Gives what answers at once in place of a key set's `find`, or `null` for a `find` that was not made here. */
export function findAtHandOf({ find }: KeySet): FindAtHand | null {
  return atHand.get(find) ?? null
}
