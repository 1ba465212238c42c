import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { RecordStore } from '@latchkey/store'

/** A set of used ids: each id is accepted once. */
export interface SingleUse {
  /**
   * Returns `true` to exactly one caller with these parts, in one atomic step.
   *
   * @param parts the sender and the id, of any length and characters.
   * @param until the id's own expiry, in epoch milliseconds: it is stored until then.
   */
  accept(parts: readonly string[], until: number): Promise<boolean>
  /** Whether an id was accepted and is still stored. */
  has(parts: readonly string[]): Promise<boolean>
}

/** Creates the set of a kind over a record store, which stores digests of the ids. */
export function createSingleUse(records: RecordStore, kind: string): SingleUse {
  const keyOf = (parts: readonly string[]): string => `${kind}_${encodeBase64url(sha256(JSON.stringify(parts)))}`
  return {
    accept: (parts, until) =>
      records.insert({
        key: keyOf(parts),
        owner: null,
        expiresAt: Math.ceil(until),
        value: '{}',
      }),
    has: async (parts) => (await records.get(keyOf(parts))) !== null,
  }
}
