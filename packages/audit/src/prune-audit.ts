import type { SecretKeys } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import { type AuditStore, StoreError } from '@latchkey/store'
import type { AuditChain } from '@latchkey/store/internal'
import { beginChain, sealRows } from './chain.ts'
import { draftCheckpoint } from './checkpoint-rows.ts'
import { readChains } from './read-chains.ts'
import { openRow } from './sealed-row.ts'

const rowsPerPage = 500

/**
 * Removes old rows: the rows of each chain before its last checkpoint of that time, and chains closed before it. Before
 * the first removal it writes a row with this time, so that `verifyAudit` reports every other missing row. Rejects with
 * `StoreError` if the store fails; the next call removes the rest.
 *
 * @throws TypeError if an option is unknown, missing or not valid.
 * @example
 * import { pruneAudit } from '@latchkey/audit'
 * import { deriveSecrets, randomBytes } from '@latchkey/bytes'
 * import { createMemoryAuditStore } from '@latchkey/store'
 * const secrets = deriveSecrets([{ id: '2026-01', bytes: randomBytes(32) }], 'audit')
 * const yearAgo = Date.now() - 365 * 86_400_000
 * await pruneAudit({ store: createMemoryAuditStore(), secrets, before: yearAgo }) // { rows: 0, chains: 0 }
 */
export async function pruneAudit(options: {
  readonly store: AuditStore
  /** The secrets of `createAuditLog`. */
  readonly secrets: SecretKeys
  /** Rows from before this time are removed, in epoch milliseconds. It is not in the future. */
  readonly before: number
  /**
   * Epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
  /** Stops the removal after the current step; the next call continues. For example an `AbortSignal`. */
  readonly signal?: { readonly aborted: boolean }
}): Promise<{
  readonly rows: number
  /** The number of chains that were removed entirely. */
  readonly chains: number
}> {
  const { store, secrets, before, now, signal } = readOptions(options)
  const isStopped = (): boolean => signal?.aborted === true
  const ends: (readonly [AuditChain, number])[] = []
  for (const chain of await readChains(store)) {
    if (isStopped()) break
    const end = await endOf({ store, secrets, before }, chain)
    if (end > 0) ends.push([chain, end])
  }
  const pruned = { rows: 0, chains: 0 }
  if (ends.length === 0 || isStopped()) return pruned
  const { rows } = sealRows(beginChain(), [draftCheckpoint({ at: now(), prunedBefore: before })], secrets)
  if (!(await store.append(rows))) throw new StoreError('STORE_UNAVAILABLE', 'the audit store has not added a row')
  for (const [chain, end] of ends) {
    const { rows: removed, isWhole } = await pruneInSteps(chain, end, { store, isStopped })
    pruned.rows += removed
    if (isWhole && end > (chain.head?.sequence ?? Number.POSITIVE_INFINITY)) pruned.chains++
  }
  return pruned
}

/** A store has a deadline for each call. */
async function pruneInSteps(
  { chain, first }: AuditChain,
  end: number,
  { store, isStopped }: { readonly store: AuditStore; readonly isStopped: () => boolean },
): Promise<{ readonly rows: number; readonly isWhole: boolean }> {
  let rows = 0
  for (let step = Math.min((first ?? end) + rowsPerPage, end); !isStopped(); step = Math.min(step + rowsPerPage, end)) {
    rows += await store.prune(chain, step)
    if (step === end) return { rows, isWhole: true }
  }
  return { rows, isWhole: false }
}

type Pruning = Pick<Parameters<typeof pruneAudit>[0], 'store' | 'secrets' | 'before'>

/** Returns the sequence before which rows of a chain are removed. 0: none are. */
async function endOf({ store, secrets, before }: Pruning, { chain, first, head }: AuditChain): Promise<number> {
  const last = head && openRow(head.value, secrets)
  // A head that is missing or forged is evidence, and so are the rows.
  if (head === null || last === null || typeof last === 'string') return 0
  if (last.body.at < before) return head.sequence + 1
  let end = 0
  const start = first ?? 1
  for (let after = start - 1; ; ) {
    const rows = await store.readChain(chain, { after, limit: rowsPerPage })
    const old = rows.filter(({ at }) => at < before)
    end = old.findLast(({ state }) => state === 'checkpoint')?.sequence ?? end
    if (old.length < rowsPerPage) return end > start ? end : 0
    after = old.at(-1)?.sequence ?? after
  }
}

function readOptions(options: Parameters<typeof pruneAudit>[0]) {
  const {
    store,
    before,
    now = wallClock,
    signal,
  } = checkOptionNames('pruneAudit', options, {
    store: true,
    secrets: true,
    before: true,
    now: true,
    signal: true,
  })
  if (typeof store?.prune !== 'function') throw new TypeError('"store" must be an AuditStore')
  if (!(Number.isSafeInteger(before) && before >= 0 && before <= now())) {
    throw new TypeError('"before" must be a time in the past, in epoch milliseconds')
  }
  if (signal !== undefined && typeof signal?.aborted !== 'boolean')
    throw new TypeError('"signal" must be an AbortSignal')
  return { store, secrets: checkSecrets(options.secrets), before, now, signal }
}
