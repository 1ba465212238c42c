import type { AccountsOptions } from '@latchkey/accounts'
import { type AuditRecorder, createAuditRecorder } from '@latchkey/accounts/internal'
import { type AuditLog, createAuditLog, pruneAudit } from '@latchkey/audit'
import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { type Emit, every, toEvent } from '@latchkey/core/internal'
import type { AuditStore } from '@latchkey/store'
import { auditStoreOf } from '../options/audit/audited.ts'
import { type Auditing, allowUnaudited, readAuditing } from '../options/audit/auditing.ts'
import type { AuthorizationEvent } from '../options/observe/authorization-event.ts'
import type { ServerEvent } from '../options/observe/server-event.ts'
import type { ServicePlan } from './plan/service-plan.ts'

/** The audited decisions of the service itself. */
export type ServiceDecision =
  | Extract<ServerEvent, { type: 'key.rotated' }>
  | Extract<ServerEvent, { type: 'key.replaced' }>
  | Extract<ServerEvent, { type: 'token.revoked' }>
  | Extract<ServerEvent, { type: 'mcp.called' }>
  | Extract<
      ServerEvent,
      { type: 'client.created' | 'client.disabled' | 'client.secret-replaced' | 'client.blocked' | 'client.unblocked' }
    >
  | Extract<AuthorizationEvent, { readonly type: 'grant.given' | 'grant.revoked' }>

/** The audit of an open service. */
export interface ServiceAudit {
  /** `null` without an audit log. */
  readonly log: AuditLog | null
  /** For the accounts. */
  readonly auditing: Required<AccountsOptions>['audit'] | null
  /** Records the service's own decisions. */
  readonly recorder: AuditRecorder<ServiceDecision>
  /** Starts the removal of old rows, in an hour at the earliest. */
  startPruning(): void
  /** Writes the last checkpoint, after a pending removal. */
  close(): Promise<void>
}

const kinds = {
  'key.rotated': 'unknown',
  'key.replaced': 'unknown',
  'token.revoked': 'unknown',
  'mcp.called': 'owner',
  'client.created': 'unknown',
  'grant.given': 'owner',
  'grant.revoked': 'owner',
  'client.disabled': 'unknown',
  'client.secret-replaced': 'unknown',
  'client.blocked': 'unknown',
  'client.unblocked': 'unknown',
} as const

export function openServiceAudit(plan: ServicePlan, root: SecretKeys): ServiceAudit {
  const { announce, now, options } = plan
  const store = auditStoreOf(options)
  if (store === null || options.audit === allowUnaudited) return createUnaudited(plan)
  const { retentionDays, ...given } = readAuditing(options.audit)
  const secrets = deriveSecrets(root, 'audit')
  const log = createAuditLog({ store, secrets, now, onEvent: announce, ...given })
  const auditing = { log, secrets: deriveSecrets(root, 'audit-identifiers') }
  const retention = createRetention({ store, secrets, now, retentionDays })
  return {
    log,
    auditing,
    recorder: createAuditRecorder<ServiceDecision>({ emit: emitWith(plan), audit: auditing, kinds }),
    startPruning: retention.start,
    async close() {
      await retention.stop()
      await log.close()
    },
  }
}

function emitWith({ announce, now }: ServicePlan): Emit<ServiceDecision> {
  return (decision) => announce(toEvent<ServiceDecision>(decision, now()))
}

function createUnaudited(plan: ServicePlan): ServiceAudit {
  const recorder = createAuditRecorder<ServiceDecision>({ emit: emitWith(plan), audit: null, kinds })
  return { log: null, auditing: null, recorder, startPruning: () => undefined, close: async () => undefined }
}

interface RetentionOptions extends Pick<Auditing, 'retentionDays'> {
  readonly store: AuditStore
  readonly secrets: SecretKeys
  readonly now: () => number
}

const hourMs = 3_600_000
const dayMs = 24 * hourMs

/**
 * Removes old rows once a day. A failure is retried after an hour, without an event: requests that need the store
 * report an outage.
 */
function createRetention({ store, secrets, now, retentionDays }: RetentionOptions) {
  let prunedAt = Number.NEGATIVE_INFINITY
  let pruning: Promise<unknown> = Promise.resolve()
  let stopTimer = (): void => undefined
  const stopping = new AbortController()
  const { signal } = stopping
  const prune = async (): Promise<void> => {
    const at = now()
    if (at - prunedAt < dayMs) return
    await pruneAudit({ store, secrets, before: Math.max(0, at - retentionDays * dayMs), now, signal })
    prunedAt = at
  }
  return {
    start(): void {
      const { stop } = every(hourMs, () => {
        pruning = pruning.then(prune).catch(() => null)
      })
      stopTimer = () => stop()
    },
    async stop(): Promise<void> {
      stopTimer()
      stopping.abort()
      await pruning
    },
  }
}
