import { randomToken, type SecretKeys } from '@latchkey/bytes'
import { checkSecrets } from '@latchkey/bytes/internal'
import {
  after,
  checkOptionNames,
  createEmitter,
  describeFailure,
  notify,
  type Timer,
  wallClock,
} from '@latchkey/core/internal'
import { type AuditStore, StoreError } from '@latchkey/store'
import type { AuditEvent } from './audit-event.ts'
import type { AuditFacts } from './audit-facts.ts'
import type { AuditLog } from './audit-log.ts'
import type { DraftRow } from './chain.ts'
import { createChainWriter } from './chain-writer.ts'
import { checkpointKind } from './checkpoint-rows.ts'
import { listEntries } from './list-entries.ts'
import { keepPersonal } from './personal-facts.ts'

/**
 * Creates the audit log of a process. It writes rows in one chain, each of which holds the code of the one before, so that
 * `verifyAudit` names what was removed or changed.
 *
 * @throws TypeError when an option is unknown, missing or not valid.
 *
 * @example
 * import { createAuditLog } from '@latchkey/audit'
 * import { randomBytes } from '@latchkey/bytes'
 * import { createMemoryAuditStore } from '@latchkey/store'
 * const secrets = [{ id: '2026-01', bytes: randomBytes(32) }] as const
 * const audit = createAuditLog({ store: createMemoryAuditStore(), secrets })
 * const unknown = { actorId: null, address: null, userAgent: null, requestId: null }
 * const intent = await audit.intend({ kind: 'password.changed', accountId: 'acc_1', ...unknown })
 * // … the password is changed …
 * await intent.done()
 */
export function createAuditLog(options: {
  readonly store: AuditStore
  /** The first secret signs, all of them verify: derive them with `deriveSecrets(secrets, 'audit')`. */
  readonly secrets: SecretKeys
  /**
   * The clock of the rows, epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
  /**
   * Receives `audit.failed`.
   * @default prints it with `console.error`
   */
  readonly onEvent?: (event: AuditEvent) => unknown
  /**
   * How long after a row at most a checkpoint is written.
   * @default 60
   */
  readonly checkpointSeconds?: number
  /** Receives each checkpoint as a text, to be kept where who writes to the database cannot. */
  readonly onCheckpoint?: (checkpoint: string) => unknown
  /**
   * How long a row may wait before it is refused, and how long an append may take.
   * @default 2000
   */
  readonly deadlineMs?: number
  /**
   * How many rows may wait for an append that is under way; more are refused.
   * @default 10_000
   */
  readonly mostWaiting?: number
}): AuditLog {
  const { store, secrets, now, onEvent, checkpointMs, onCheckpoint, deadlineMs, mostWaiting } = readOptions(options)
  const emit = createEmitter<AuditEvent>({ onEvent, now })
  const writer = createChainWriter({ store, secrets, now, deadlineMs, mostWaiting, onCheckpoint })
  let due: Timer | null = null
  let checkpointing: Promise<void> = Promise.resolve()
  let hasNewRows = false
  let isClosed = false

  /** Reports a row that could not be written after its effect; the effect stands. */
  async function orReport(kind: string, entry: string | null, work: Promise<void>): Promise<void> {
    try {
      await work
    } catch (cause) {
      emit({ type: 'audit.failed', kind, entry, failure: describeFailure(cause), cause })
    }
  }

  function writeCheckpoint(): Promise<void> {
    due?.stop()
    due = null
    hasNewRows = false
    checkpointing = orReport(checkpointKind, null, writer.checkpoint().catch(writeLater))
    return checkpointing
  }

  function writeLater(cause: unknown): never {
    expectCheckpoint()
    throw cause
  }

  function expectCheckpoint(): void {
    hasNewRows = true
    if (!isClosed) due ??= after(checkpointMs, () => void writeCheckpoint()).unref()
  }

  async function write(facts: AuditFacts, entry: string, state: DraftRow['state']): Promise<void> {
    if (isClosed) throw new StoreError('STORE_UNAVAILABLE', 'the audit log is closed')
    expectCheckpoint()
    await writer.write(toDraft(facts, { at: now(), entry, state }))
  }

  return {
    async intend(facts) {
      const entry = randomToken(16)
      await write(facts, entry, 'intended')
      let isEnded = false
      const end = async (ended: AuditFacts, state: 'done' | 'failed'): Promise<void> => {
        if (isEnded) return
        isEnded = true
        await orReport(ended.kind, entry, write(ended, entry, state))
      }
      return { done: (changed = {}) => end({ ...facts, ...changed }, 'done'), failed: () => end(facts, 'failed') }
    },
    record: (facts) => write(facts, randomToken(16), 'done'),
    list: (query = {}) => listEntries(store, query),
    erasePersonal: (accountId) => store.erasePersonal(accountId),
    async close() {
      isClosed = true
      due?.stop()
      await checkpointing
      await writer.idle()
      if (hasNewRows) await writeCheckpoint()
    },
  }
}

function toDraft(facts: AuditFacts, row: Pick<DraftRow, 'at' | 'entry' | 'state'>): DraftRow {
  const { kind, accountId, actorId, details = null } = facts
  return { ...row, kind, accountId, actorId, details, ...keepPersonal(facts) }
}

function readOptions(options: Parameters<typeof createAuditLog>[0]) {
  const {
    store,
    now = wallClock,
    onEvent,
    onCheckpoint,
  } = checkOptionNames('createAuditLog', options, {
    store: true,
    secrets: true,
    now: true,
    onEvent: true,
    checkpointSeconds: true,
    onCheckpoint: true,
    deadlineMs: true,
    mostWaiting: true,
  })
  if (typeof store?.append !== 'function') throw new TypeError('"store" must be an AuditStore')
  const { checkpointSeconds = 60, deadlineMs = 2000, mostWaiting = 10_000 } = options
  checkWhole({ checkpointSeconds, deadlineMs, mostWaiting })
  return {
    ...{ store, secrets: checkSecrets(options.secrets), now, onEvent, checkpointMs: checkpointSeconds * 1000 },
    onCheckpoint: (text: string) => notify(onCheckpoint ?? (() => undefined), text),
    ...{ deadlineMs, mostWaiting },
  }
}

function checkWhole(numbers: Readonly<Record<string, number>>): void {
  for (const [option, number] of Object.entries(numbers)) {
    if (!(Number.isSafeInteger(number) && number >= 1 && number <= 86_400_000)) {
      throw new TypeError(`"${option}" must be a whole number from 1 to 86400000`)
    }
  }
}
