import type { SecretKeys } from '@latchkey/bytes'
import type { AuditChain, AuditStore } from '@latchkey/store'
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
    async draft(own, facts = {}) {
      const chains = await store.listChains()
      const moved = chains.filter(({ chain, head }) => chain !== own && named.get(chain) !== head?.sequence)
      named = new Map(chains.map(({ chain, head }) => [chain, head?.sequence ?? 0]))
      return draftCheckpoint(toHeads(moved, secrets), now(), facts)
    },
  }
}

/** Returns the heads that this process can vouch for. What was forged is left out; the verification names it. */
export function toHeads(chains: readonly AuditChain[], secrets: SecretKeys): readonly ChainHead[] {
  return chains.flatMap(({ chain, head }): readonly ChainHead[] => {
    const opened = head && openRow(head.value, secrets)
    if (!head || opened === null || typeof opened === 'string') return []
    return [[chain, head.sequence, opened.code, opened.body.at]]
  })
}

/** Returns the rows of a checkpoint that names these heads. */
export function draftCheckpoint(heads: readonly ChainHead[], at: number, facts: CheckpointFacts): readonly DraftRow[] {
  const count = Math.max(Math.ceil(heads.length / headsPerRow), 1)
  return Array.from({ length: count }, (_none, part) => ({
    ...{ at, entry: checkpointKind, state: 'checkpoint', kind: checkpointKind },
    ...{ accountId: null, actorId: null, details: null, digest: null, personal: null },
    heads: heads.slice(part * headsPerRow, (part + 1) * headsPerRow),
    follows: part === 0 ? (facts.follows ?? null) : null,
    prunedBefore: facts.prunedBefore ?? null,
  }))
}
