import type { AccountStore } from '@latchkey/accounts'
import type { AuditStore, CounterStore, DocumentStore, RecordStore } from '@latchkey/store'

/**
 * All stores on one database. Pass the whole object to a factory, or spread it into its options: each takes what it
 * needs by name.
 */
export interface SqlStores {
  readonly records: RecordStore & Required<Pick<RecordStore, 'sweep'>>
  readonly counters: CounterStore
  /**
   * Data that must not be lost: second factors, provider links, signing keys, OAuth clients, consents, denials, roles,
   * settings.
   */
  readonly documents: DocumentStore
  readonly accounts: AccountStore & Required<Pick<AccountStore, 'reservations' | 'identities'>>
  /** `counters`, under a name that stays when the counters of a cache take their place. */
  readonly lockouts: CounterStore
  readonly audit: AuditStore
  /**
   * Creates or upgrades the tables, which all begin with `latchkey_`. Any number of processes may call it at the same
   * time, and repeatedly.
   */
  migrate(): Promise<{ readonly from: number; readonly to: number }>
  /** Returns the SQL that `migrate` runs on a database without these tables, to read or to apply by hand. */
  migrationSql(): string
  /** Resolves when the database takes changes and its tables have the version of this code: a readiness probe, which writes. */
  check(): Promise<void>
  /** Returns whether the database is in the memory of this process, hidden from other processes. */
  isInMemory(): Promise<boolean>
  /** Closes the database. All later calls throw. */
  close(): Promise<void>
}
