import type { JwtAlgorithm } from '../algorithm.ts'
import type { JwtKey } from './jwt-key.ts'

/** The key that a token's header asks for. */
export interface KeyQuery {
  /** The header's `kid`; `null` when there is none. */
  readonly id: string | null
  /** The header's `alg`, which is one of the pinned ones. */
  readonly algorithm: JwtAlgorithm
}

/** What a verifier needs: keys by id. Key rings and remote key sets are key sets. */
export interface KeySet {
  /**
   * Gives the key of that id and algorithm or `null`; without an id the only key of the algorithm, `null` if there are
   * several. Throws when it cannot know.
   */
  find(query: KeyQuery): Promise<JwtKey | null>
}

/** Keys in hand. */
export interface KeyIndex {
  readonly keys: readonly JwtKey[]
  find(query: KeyQuery): JwtKey | null
}

/** Gives an index over keys by their id; of two with one id the first counts. */
export function createKeyIndex(keys: readonly JwtKey[]): KeyIndex {
  const byId = new Map(keys.toReversed().map((key) => [key.id, key]))
  return {
    keys,
    find({ id, algorithm }) {
      if (id === null) return findOnly(keys, algorithm)
      const key = byId.get(id)
      return key?.algorithm === algorithm ? key : null
    },
  }
}

function findOnly(keys: readonly JwtKey[], algorithm: JwtAlgorithm): JwtKey | null {
  const [key, other] = keys.filter((one) => one.algorithm === algorithm)
  return key && !other ? key : null
}
