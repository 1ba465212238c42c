import type { SecretKeys } from '@latchkey/bytes'

// What accounts needs of an audit log, as structure: the one of `createAuditLog` of @latchkey/audit fits.

/** The content of a row in the audit log. `kind` is the `type` of the event of the same decision. */
export interface AuditedFacts {
  readonly kind: string
  /** The account that the decision is about. */
  readonly accountId: string | null
  /** The account that made the decision; `null`: not known, or a command. */
  readonly actorId: string | null
  // These are personal, and can be erased.
  readonly address: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
  /** Other members of the event. They cannot be erased. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
}

/** A row that announces an effect. A second row reports its outcome; without it the outcome is unknown. */
export interface AuditedIntent {
  /** It has happened. A row that cannot be written is an event of the log. */
  done(changed?: Partial<AuditedFacts>): Promise<void>
  /** It has not happened. */
  failed(): Promise<void>
}

/** The methods of an audit log that write. */
export interface AuditWriter {
  /** Writes that an effect is about to take place. If it rejects, the effect must not take place. */
  intend(facts: AuditedFacts): Promise<AuditedIntent>
  /** Writes what was decided, and has no effect that could be under way. */
  record(facts: AuditedFacts): Promise<void>
}

/** Where decisions are audited. */
export interface AuditOptions {
  /** By `createAuditLog` of `@latchkey/audit`. */
  readonly log: AuditWriter
  /**
   * The keys of the hash that replaces an identifier without an account, because people type passwords into that field.
   * Derive them with `deriveSecrets`.
   */
  readonly secrets: SecretKeys
}
