import type { SecretKeys } from '@latchkey/bytes'
import type { AuditStore } from '@latchkey/store'
import type { DraftRow } from './chain.ts'
import { type ChainHead, openRow } from './sealed-row.ts'

/** What says of other chains how far they have come. */
export interface CheckpointSource {
  /** Returns the rows of a checkpoint about all chains that have moved since the one before. */
  draft(own: string | null, more?: CheckpointFacts): Promise<readonly DraftRow[]>
}

export interface CheckpointFacts {
  readonly follows?: ChainHead | null
  readonly prunedBefore?: number
}

export interface CheckpointSourceOptions {
  readonly store: AuditStore
  readonly secrets: SecretKeys
  readonly now: () => number
}

/** So many chains are named by one row. */
const headsPerRow = 500

/** The kind of the rows that say how far the chains have come. */
export const checkpointKind = 'audit.checkpoint'

/** Creates a source whose first checkpoint names all chains, and each later one those that have moved. */
export function createCheckpointSource({ store, secrets, now }: CheckpointSourceOptions): CheckpointSource {
  let named: ReadonlyMap<string, number> = new Map()
  return {
    async draft(own, { follows = null, prunedBefore } = {}) {
      const chains = await store.listChains()
      const heads = chains.flatMap(({ chain, head }): readonly ChainHead[] => {
        if (chain === own || head === null || named.get(chain) === head.sequence) return []
        const opened = openRow(head.value, secrets)
        // What was forged is not vouched for; the verification names it.
        return typeof opened === 'string' ? [] : [[chain, head.sequence, opened.code, opened.body.at]]
      })
      named = new Map(chains.map(({ chain, head }) => [chain, head?.sequence ?? 0]))
      const parts = Array.from({ length: Math.max(Math.ceil(heads.length / headsPerRow), 1) }, (_none, part) =>
        heads.slice(part * headsPerRow, (part + 1) * headsPerRow),
      )
      return parts.map((part, index) => ({
        ...{ at: now(), entry: checkpointKind, state: 'checkpoint', kind: checkpointKind },
        ...{ accountId: null, actorId: null, details: null, digest: null, personal: null },
        ...{ heads: part, follows: index === 0 ? follows : null, prunedBefore: prunedBefore ?? null },
      }))
    },
  }
}
