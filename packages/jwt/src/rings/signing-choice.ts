import type { JwtAlgorithm } from '../algorithm.ts'
import type { StoredKey } from './stored-keys.ts'

export interface SigningChoiceOptions {
  /** The algorithm of the ring. */
  readonly algorithm: JwtAlgorithm
  /** How long a key is published before it signs; 0: it need not be. */
  readonly publishAheadMs: number
  readonly now: () => number
}

/** Which key signs. */
export interface SigningChoice<Entry> {
  readonly current: Entry
  /** When the next key may sign, epoch milliseconds, or `-Infinity`. */
  readonly nextSignsAt: number
}

/**
 * The time for which keys of an algorithm are published ahead: 0 for symmetric keys, which no other service can verify
 * with.
 */
export function publishAheadOf(algorithm: JwtAlgorithm, publishAheadSeconds: number): number {
  return algorithm === 'HS256' ? 0 : publishAheadSeconds * 1000
}

/**
 * Of the keys that are not retired, the oldest one of the algorithm signs. After a change of the algorithm those before it
 * sign until that key was published for long enough. `null`: there is none of the algorithm.
 *
 * @param active the keys that are not retired, the oldest first.
 */
export function chooseSigning<Entry extends { readonly row: StoredKey }>(
  active: readonly Entry[],
  { algorithm, publishAheadMs, now }: SigningChoiceOptions,
): SigningChoice<Entry> | null {
  const [first, second] = active.filter(({ row }) => row.value.algorithm === algorithm)
  if (!first) return null
  const signsAt = ({ row }: Entry): number =>
    publishAheadMs === 0 ? Number.NEGATIVE_INFINITY : row.value.createdAt + publishAheadMs
  // Verifiers elsewhere know none of the symmetric keys, so they miss nothing when those stop signing.
  const before = active.find(({ row: { value } }) => value.algorithm !== algorithm && value.algorithm !== 'HS256')
  if (before && signsAt(first) > now()) return { current: before, nextSignsAt: signsAt(first) }
  return { current: first, nextSignsAt: second ? signsAt(second) : Number.POSITIVE_INFINITY }
}
