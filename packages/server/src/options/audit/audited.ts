import type { AuditStore } from '@latchkey/store'
import { type AuditingOptions, allowUnaudited, readAuditing } from './auditing.ts'

interface AuditedOptions {
  readonly audit?: AuditingOptions | typeof allowUnaudited
  readonly stores: { readonly audit?: AuditStore }
}

/** Returns the store of the audit log; `null` if there is no audit log. */
export function auditStoreOf({ audit, stores }: AuditedOptions): AuditStore | null {
  return audit === allowUnaudited ? null : (stores.audit ?? null)
}

/** @throws TypeError if the options of the audit log cannot be used. */
export function checkAudit({ audit, stores }: AuditedOptions): void {
  if (audit === undefined || audit === allowUnaudited) return
  if (typeof audit !== 'object' || audit === null) {
    throw new TypeError('"audit" must be an object with options, or allowUnaudited')
  }
  if (stores.audit === undefined) throw new TypeError('"audit" needs "stores.audit"')
  readAuditing(audit)
}
