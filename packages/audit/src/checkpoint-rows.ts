import type { SecretKeys } from '@latchkey/bytes'
import type { AuditStore } from '@latchkey/store'
import type { AuditHead } from '@latchkey/store/internal'
import type { DraftRow } from './chain.ts'
import { type ChainHead, openRow } from './sealed-row.ts'

/** A source of checkpoints, which record how far other chains have come. */
export interface CheckpointSource {
  /** Returns a checkpoint about the chains that have grown since the last written checkpoint. */
  draft(own: string | null): Promise<CheckpointDraft>
}

export interface CheckpointDraft {
  readonly row: DraftRow
  /** Marks the checkpoint as written. Without this call the next checkpoint names its chains again. */
  written(): void
}

export interface CheckpointSourceOptions {
  readonly store: AuditStore
  readonly secrets: SecretKeys
  readonly now: () => number
}

/**
 * The number of chains in one checkpoint, the most recently extended first: its cost does not grow with the number of
 * chains.
 */
const headsPerCheckpoint = 100

/** The kind of the rows that say how far the chains have come. */
export const checkpointKind = 'audit.checkpoint'

/**
 * Creates a source whose first checkpoint names the latest chains, and later checkpoints the chains that have grown.
 */
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

/** Returns the heads that this process can vouch for. It omits forged heads, which the verification reports. */
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
