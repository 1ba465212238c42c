import type { SecretKeys } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { AuditStore } from '@latchkey/store'
import { sealRows } from './chain.ts'
import { draftCheckpoint, vouchFor } from './checkpoint-rows.ts'
import { readChains } from './read-chains.ts'

/** The number of chains in one line. */
const headsPerLine = 500

/**
 * Returns the signed heads of all chains as lines of text, and writes no row. Keep them out of reach of users who can
 * write to the database: `verifyAudit` detects by them any later removal. Rejects with `StoreError` if the store fails.
 *
 * @throws TypeError if an option is unknown, missing or not valid.
 * @example
 * import { exportCheckpoint, verifyAudit } from '@latchkey/audit'
 * import { deriveSecrets, randomBytes } from '@latchkey/bytes'
 * import { createMemoryAuditStore } from '@latchkey/store'
 * const store = createMemoryAuditStore()
 * const secrets = deriveSecrets([{ id: '2026-01', bytes: randomBytes(32) }], 'audit')
 * const checkpoints = await exportCheckpoint({ store, secrets })
 * await verifyAudit({ store, secrets, checkpoints })
 */
export async function exportCheckpoint(options: {
  readonly store: AuditStore
  /** The secrets of `createAuditLog`. */
  readonly secrets: SecretKeys
  /**
   * Epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}): Promise<readonly string[]> {
  const { store, now = wallClock } = checkOptionNames('exportCheckpoint', options, {
    store: true,
    secrets: true,
    now: true,
  })
  if (typeof store?.listChains !== 'function') throw new TypeError('"store" must be an AuditStore')
  const secrets = checkSecrets(options.secrets)
  const chains = await readChains(store)
  const heads = vouchFor(
    chains.flatMap(({ head }) => head ?? []),
    secrets,
  )
  const drafts = Array.from({ length: Math.ceil(heads.length / headsPerLine) }, (_none, line) =>
    draftCheckpoint({ at: now(), heads: heads.slice(line * headsPerLine, (line + 1) * headsPerLine) }),
  )
  // Rows of no chain, which are stored nowhere.
  return sealRows({ chain: '', last: null }, drafts, secrets).rows.map(({ value }) => value)
}
