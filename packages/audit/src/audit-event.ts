import type { LatchkeyEvent } from '@latchkey/core'
import type { FailureFacts } from '@latchkey/core/internal'

/** Reports a row that could not be written after the effect of its decision had happened. */
export interface AuditEvent extends LatchkeyEvent, FailureFacts {
  readonly type: 'audit.failed'
  /** The kind of the decision, or `audit.checkpoint`. */
  readonly kind: string
  /** The id of the decision, which is listed as unknown; `null` for a checkpoint. */
  readonly entry: string | null
}
