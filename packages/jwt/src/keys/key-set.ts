import type { JwtAlgorithm } from '../algorithm.ts'
import type { JwtKey } from './jwt-key.ts'

/** Keys by id, for a verifier. Key rings and remote key sets are key sets. */
export interface KeySet {
  /**
   * Returns the key of that id and algorithm, or `null`; without an id the only key of the algorithm, or `null` when
   * there are several. Throws when the keys are not available.
   */
  find(query: {
    /** The header's `kid`; `null` without `kid`. */
    readonly id: string | null
    /** The header's `alg`, which the verifier accepts. */
    readonly algorithm: JwtAlgorithm
  }): Promise<JwtKey | null>
}

/** Keys in memory. */
export interface KeyIndex {
  readonly keys: readonly JwtKey[]
  find(query: Parameters<KeySet['find']>[0]): JwtKey | null
}

/** Creates an index of keys by id. Of two keys with the same id the first is used. */
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
