import type { SecretKeys } from '@latchkey/bytes'
import { within } from '@latchkey/core/internal'
import { type AuditStore, type StoredAuditRow, StoreError } from '@latchkey/store'
import { beginChain, type ChainEnd, type DraftRow, headOf, sealRows } from './chain.ts'
import { type CheckpointSource, createCheckpointSource, draftCheckpoint } from './checkpoint-rows.ts'
import { createRowQueue } from './row-queue.ts'
import type { ChainHead } from './sealed-row.ts'

export interface ChainWriterOptions {
  readonly store: AuditStore
  readonly secrets: SecretKeys
  readonly now: () => number
  readonly deadlineMs: number
  readonly mostWaiting: number
  /** Receives the value of each checkpoint that was written. */
  readonly onCheckpoint: (checkpoint: string) => void
}

/** Writes one chain after another. */
export interface ChainWriter {
  /** Rejects with StoreError when it was not written, or it is not known. */
  write(draft: DraftRow): Promise<void>
  /** Writes how far all chains have come. */
  checkpoint(): Promise<void>
  idle(): Promise<void>
}

/** The open chain, and the source of its checkpoints. */
interface OpenChain {
  readonly end: ChainEnd
  readonly checkpoints: CheckpointSource
}

/**
 * Creates a writer of chains. An append with an unknown outcome closes a chain, and the next row starts another chain.
 */
export function createChainWriter(options: ChainWriterOptions): ChainWriter {
  const { store, secrets, now, deadlineMs, mostWaiting, onCheckpoint } = options
  let open: OpenChain | null = null
  let follows: ChainHead | null = null

  /** Starts a chain with a checkpoint of all other chains, which records how far they had come. */
  async function begin(): Promise<{ readonly chain: OpenChain; readonly first: readonly DraftRow[] }> {
    const checkpoints = createCheckpointSource({ store, secrets, now })
    const { row, written } = await inTime(checkpoints.draft(null))
    // Where it is not written, there is no such chain.
    written()
    return { chain: { end: beginChain(), checkpoints }, first: [{ ...row, follows }] }
  }

  async function append(drafts: readonly DraftRow[]): Promise<readonly null[]> {
    const { chain, first } = open ? { chain: open, first: [] } : await begin()
    const { rows, end } = sealRows(chain.end, [...first, ...drafts], secrets)
    if (!(await isAppended(rows))) {
      throw new StoreError('STORE_UNAVAILABLE', 'there is a row in this place of the audit log already')
    }
    open = { ...chain, end }
    follows = headOf(end)
    for (const row of rows) if (row.state === 'checkpoint') onCheckpoint(row.value)
    return drafts.map(() => null)
  }

  /** Any result other than `true` closes the chain, because its next place is unknown. */
  async function isAppended(rows: readonly StoredAuditRow[]): Promise<boolean> {
    let isAdded = false
    try {
      isAdded = await inTime(store.append(rows))
      return isAdded
    } finally {
      if (!isAdded) open = null
    }
  }

  const inTime = <T>(work: Promise<T>): Promise<T> =>
    within(deadlineMs, work, () => new StoreError('STORE_UNAVAILABLE', 'the audit store did not answer in time'))
  const queue = createRowQueue(append, { mostWaiting, deadlineMs })

  return {
    write: async (draft) => void (await queue.add(draft)),
    async checkpoint() {
      // Where no chain is open, the one that begins with this row names the others.
      if (!open) return void (await queue.add(draftCheckpoint({ at: now() })))
      const { row, written } = await inTime(open.checkpoints.draft(open.end.chain))
      await queue.add(row)
      written()
    },
    idle: () => queue.idle(),
  }
}
