import { encodeBase64url, sha256 } from '@latchkey/bytes'
import type { RecordStore } from '@latchkey/store'

/** Ids that are accepted once. */
export interface SingleUse {
  /**
   * Returns `true` for exactly one caller with these parts, in one atomic step.
   *
   * @param parts what names the id: the sender and the id itself. They may have any length and characters.
   * @param until when the id is refused by its own time, epoch milliseconds: it is remembered until then.
   */
  accept(parts: readonly string[], until: number): Promise<boolean>
  /** Whether an id was accepted, and is remembered. */
  has(parts: readonly string[]): Promise<boolean>
}

/** Creates ids of one kind over a record store, which holds digests of them. */
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
