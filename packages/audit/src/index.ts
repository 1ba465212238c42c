export type { AuditEvent } from './audit-event.ts'
export type { AuditDetails, AuditEntry, AuditFacts } from './audit-facts.ts'
export { type AuditIntent, type AuditLog, type AuditLogOptions, createAuditLog } from './create-audit-log.ts'
export type { AuditListQuery, AuditPage } from './list-entries.ts'
