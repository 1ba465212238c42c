import type { SecretKeys } from '@latchkey/bytes'
import type { AuditStore } from '@latchkey/store'
import type { AuditHead } from '@latchkey/store/internal'
import type { DraftRow } from './chain.ts'
import { type ChainHead, openRow } from './sealed-row.ts'

/** What says of other chains how far they have come. */
export interface CheckpointSource {
  /** Returns a checkpoint about the chains that have moved since the last one that was written. */
  draft(own: string | null): Promise<CheckpointDraft>
}

export interface CheckpointDraft {
  readonly row: DraftRow
  /** Says that it was written: of one that was not, the next one names the chains again. */
  written(): void
}

export interface CheckpointSourceOptions {
  readonly store: AuditStore
  readonly secrets: SecretKeys
  readonly now: () => number
}

/** So many chains are named by one checkpoint, those that moved last: it costs the same however many there have been. */
const headsPerCheckpoint = 100

/** The kind of the rows that say how far the chains have come. */
export const checkpointKind = 'audit.checkpoint'

/** Creates a source whose first checkpoint names the latest chains, and each later one those that have moved. */
export function createCheckpointSource({ store, secrets, now }: CheckpointSourceOptions): CheckpointSource {
  let named: ReadonlyMap<string, number> = new Map()
  return {
    async draft(own) {
      const heads = await store.latestHeads(headsPerCheckpoint)
      const moved = heads.filter(({ chain, sequence }) => chain !== own && named.get(chain) !== sequence)
      return {
        row: draftCheckpoint({ at: now(), heads: vouchFor(moved, secrets) }),
        written() {
          named = new Map(heads.map(({ chain, sequence }) => [chain, sequence]))
        },
      }
    },
  }
}

/** Returns the heads that this process can vouch for. What was forged is left out; the verification names it. */
export function vouchFor(heads: readonly AuditHead[], secrets: SecretKeys): readonly ChainHead[] {
  return heads.flatMap(({ chain, sequence, value }): readonly ChainHead[] => {
    const opened = openRow(value, secrets)
    if (typeof opened === 'string' || opened.body.chain !== chain || opened.body.sequence !== sequence) return []
    return [[chain, sequence, opened.code, opened.body.at]]
  })
}

/** Returns the row of a checkpoint. */
export function draftCheckpoint({
  at,
  ...facts
}: Pick<DraftRow, 'at' | 'heads' | 'follows' | 'prunedBefore'>): DraftRow {
  return {
    ...{ at, entry: checkpointKind, state: 'checkpoint', kind: checkpointKind },
    ...{ accountId: null, actorId: null, details: null, digest: null, personal: null },
    ...{ heads: [], ...facts },
  }
}
