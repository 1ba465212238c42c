import type { AuditEntry, AuditFacts } from './audit-facts.ts'
/** A log of decisions that cannot be removed or changed unseen. */
export interface AuditLog {
  /**
   * Adds a row before an effect. Rejects with `StoreError` if it was not written: then do not start the effect. Call
   * `done` or `failed` afterwards. They never reject: an outcome that cannot be written leaves the decision unknown and
   * emits an event. Later calls are ignored.
   */
  intend(facts: AuditFacts): Promise<{
    /** Adds the row of the effect. @param changed facts that were not known before. */
    done(changed?: Partial<AuditFacts>): Promise<void>
    /** Adds the row of a failure without an effect. */
    failed(): Promise<void>
  }>
  /** Adds what was decided without an effect that could be under way, as one row. Rejects with `StoreError`. */
  record(facts: AuditFacts): Promise<void>
  /** Returns decisions with the newest first, one item for each. */
  list(query?: {
    readonly accountId?: string
    readonly kind?: string
    /**
     * How many, from 1 to 1000.
     * @default 50
     */
    readonly first?: number
    /** The `cursor` of the page before; omitted for the first page. */
    readonly after?: string
  }): Promise<{
    /** The newest decision first, by the time of its first row. */
    readonly items: readonly AuditEntry[]
    /** For `after`, while there may be more. */
    readonly cursor?: string
  }>
  /** Erases addresses, user agents and request ids of the rows about an account, and returns of how many rows. */
  erasePersonal(accountId: string): Promise<number>
  /** Writes the last checkpoint and closes the chain. All later rows are refused. */
  close(): Promise<void>
}
