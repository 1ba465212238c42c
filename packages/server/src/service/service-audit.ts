import { type Audited, type AuditOptions, createTrail, type Trail } from '@latchkey/accounts'
import { type AuditLog, createAuditLog } from '@latchkey/audit'
import { deriveSecrets, type SecretKeys } from '@latchkey/bytes'
import { auditStoreOf } from '../options/audited.ts'
import { readAuditing, unaudited } from '../settings/auditing.ts'
import type { KeyReplacedEvent, KeyRotatedEvent, TokenRevokedEvent } from '../settings/server-event.ts'
import type { ServicePlan } from './service-plan.ts'

/** What the service itself decides and is audited. */
export type ServiceDecision = KeyRotatedEvent | KeyReplacedEvent | TokenRevokedEvent

/** A decision of the service, as it is audited. */
export type AuditedDecision = Audited<ServiceDecision>

/** The audit of an open service. */
export interface ServiceAudit {
  /** `null`: nothing is audited. */
  readonly log: AuditLog | null
  /** For the accounts. */
  readonly auditing: AuditOptions | null
  /** For what the service itself decides. */
  readonly trail: Trail<ServiceDecision>
  /** Writes the last checkpoint. */
  close(): Promise<void>
}

export function openServiceAudit(plan: ServicePlan, secrets: SecretKeys): ServiceAudit {
  const log = openLog(plan, secrets)
  const auditing = log && { log, secrets: deriveSecrets(secrets, 'audit-identifiers') }
  const kinds = { 'key.rotated': 'unknown', 'key.replaced': 'unknown', 'token.revoked': 'unknown' } as const
  return {
    log,
    auditing,
    trail: createTrail<ServiceDecision>({ emit: plan.emit, audit: auditing, kinds }),
    close: async () => log?.close(),
  }
}

function openLog({ options, announce, now }: ServicePlan, secrets: SecretKeys): AuditLog | null {
  const store = auditStoreOf(options)
  const { audit } = options
  if (store === null || audit === unaudited) return null
  const { retentionDays: _retentionDays, ...rest } = readAuditing(audit)
  return createAuditLog({ store, secrets: deriveSecrets(secrets, 'audit'), now, onEvent: announce, ...rest })
}
