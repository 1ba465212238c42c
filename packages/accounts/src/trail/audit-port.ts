import type { SecretKeys } from '@latchkey/bytes'

// What accounts needs of an audit log, as structure: the one of `createAuditLog` of @latchkey/audit fits.

/** What a row of the audit log says. `kind` is the `type` of the event of the same decision. */
export interface AuditedFacts {
  readonly kind: string
  /** Whom it is about. */
  readonly accountId: string | null
  /** Who did it; `null`: not known, or a command. */
  readonly actorId: string | null
  // These are personal, and can be erased.
  readonly address: string | null
  readonly userAgent: string | null
  readonly requestId: string | null
  /** What else the event says. It cannot be erased. */
  readonly details?: Readonly<Record<string, string | number | boolean | null>>
}

/** A row that says that something is about to happen. What comes of it is one more row; without one it is unknown. */
export interface AuditedIntent {
  /** It has happened. A row that cannot be written is an event of the log. */
  done(changed?: Partial<AuditedFacts>): Promise<void>
  /** It has not happened. */
  failed(): Promise<void>
}

/** An audit log, as far as it is written. */
export interface AuditWriter {
  /** Writes that something is about to happen; rejects where it is not written: then it must not happen. */
  intend(facts: AuditedFacts): Promise<AuditedIntent>
  /** Writes what was decided, and has no effect that could be under way. */
  record(facts: AuditedFacts): Promise<void>
}

/** Where decisions are audited. */
export interface AuditOptions {
  /** By `createAuditLog` of `@latchkey/audit`. */
  readonly log: AuditWriter
  /**
   * Of the keyed hash that stands for an identifier which no account has: people type passwords there. Derive them with
   * `deriveSecrets`.
   */
  readonly secrets: SecretKeys
}
