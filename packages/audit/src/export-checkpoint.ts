import { checkSecrets, type SecretKeys } from '@latchkey/bytes'
import { checkOptionNames } from '@latchkey/options'
import type { AuditStore } from '@latchkey/store'
import { wallClock } from '@latchkey/time'
import { sealRows } from './chain.ts'
import { draftCheckpoint, toHeads } from './checkpoint-rows.ts'

export interface ExportCheckpointOptions {
  readonly store: AuditStore
  /** Those of `createAuditLog`. */
  readonly secrets: SecretKeys
  /**
   * Epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
}

/**
 * Returns how far all chains have come, signed, as lines of text, and writes nothing. Keep them where who writes to the
 * database cannot: whatever is removed from the log afterwards, `verifyAudit` names it by them.
 *
 * Rejects with `StoreError` when the store fails.
 *
 * @throws TypeError when an option is unknown, missing or not valid.
 *
 * @example
 * import { exportCheckpoint, verifyAudit } from '@latchkey/audit'
 * import { deriveSecrets, randomBytes } from '@latchkey/bytes'
 * import { createMemoryAuditStore } from '@latchkey/store'
 * const store = createMemoryAuditStore()
 * const secrets = deriveSecrets([{ id: '2026-01', bytes: randomBytes(32) }], 'audit')
 * const checkpoints = await exportCheckpoint({ store, secrets })
 * await verifyAudit({ store, secrets, checkpoints })
 */
export async function exportCheckpoint(options: ExportCheckpointOptions): Promise<readonly string[]> {
  const { store, now = wallClock } = checkOptionNames('exportCheckpoint', options, {
    store: true,
    secrets: true,
    now: true,
  })
  const secrets = checkSecrets(options.secrets)
  const drafts = draftCheckpoint(toHeads(await store.listChains(), secrets), now(), {})
  // A row of no chain, which is stored nowhere.
  return sealRows({ chain: '', last: null }, drafts, secrets).rows.map(({ value }) => value)
}
