import type { JwtKey } from './jwt-key.ts'
import { createKeyIndex, type KeyIndex } from './key-set.ts'

/** A key and the end of its use in epoch milliseconds; `Infinity` while it is not retired. */
export interface ExpiringKey {
  readonly key: JwtKey
  readonly until: number
}

/** The maximum of `clockToleranceSeconds`: for how long a verifier may accept a token after its `exp`. */
export const maxClockToleranceSeconds = 300

/**
 * Creates the index over the keys that are still in use. It is built again only when one of them has reached its end.
 */
export function createExpiringKeys(entries: readonly ExpiringKey[], now: () => number): () => KeyIndex {
  let index = createKeyIndex(entries.map(({ key }) => key))
  let end = Number.NEGATIVE_INFINITY
  return () => {
    // While no key is retired there is no end, and the clock need not be read.
    if (end === Number.POSITIVE_INFINITY || now() < end) return index
    const usable = entries.filter(({ until }) => until > now())
    index = createKeyIndex(usable.map(({ key }) => key))
    end = Math.min(...usable.map(({ until }) => until))
    return index
  }
}
