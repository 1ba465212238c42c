import type { AccountStore } from '@latchkey/accounts'
import type { AuditStore, CounterStore, DocumentStore, RecordStore } from '@latchkey/store'

/**
 * The stores of a service; `createSqliteStores` and `createPostgresStores` of `@latchkey/sql` return all of them. A store
 * that cannot answer throws the `StoreError` of `@latchkey/store`, which is answered 503; anything else is answered 500.
 */
export interface ServerStores {
  /** Sessions, refresh families and links. Its consistency must be `strong`. */
  readonly records: RecordStore
  /** Accounts. Its group `reservations` lets owners change their addresses. */
  readonly accounts: AccountStore
  /**
   * Durable data: second factors, links to providers, sealed signing keys, clients and grants, denials of revoked
   * tokens and sessions, changing roles, and the version of stored values. Services that verify tokens themselves may
   * read the denials.
   */
  readonly documents: DocumentStore
  /**
   * Counts attempts at secrets and mails requested by strangers. Omitted: each process counts alone, with the full
   * limit. `eventual` counters are refused.
   */
  readonly counters?: CounterStore
  /**
   * Counts consecutive wrong passwords and codes: give the counters of the database here if `counters` is a cache. A
   * service whose lockouts are not `durable` refuses to start.
   * @default `counters`
   */
  readonly lockouts?: CounterStore
  /** The rows of the audit log: with it decisions are audited, and while it does not answer none is made. */
  readonly audit?: AuditStore
  /** Creates or upgrades the tables. */
  migrate?(): Promise<unknown>
  /** Returns the SQL that `migrate` runs on a new database. `latchkey migrate --print` shows it. */
  migrationSql?(): string
  /** Rejects while the stores cannot be used. Called when the service opens, and by `/readyz`, once in 250 ms. */
  check?(): Promise<void>
  /**
   * Returns whether all of it is kept in the memory of this process: commands refuse to change it then. The stores in memory
   * of these packages say so themselves.
   */
  isInMemory?(): boolean | Promise<boolean>
  /** Called once, when the server closes. */
  close?(): Promise<void>
}

/** Every store and function, so that a misspelt one is found. */
export const serverStoreNames = {
  records: true,
  accounts: true,
  documents: true,
  counters: true,
  lockouts: true,
  audit: true,
  migrate: true,
  migrationSql: true,
  check: true,
  isInMemory: true,
  close: true,
} as const
