import type { AccountDirectory, AccountStore } from '@latchkey/accounts'
import type { KeyStore } from '@latchkey/jwt'
import type { CounterStore, FactorStore, RecordStore } from '@latchkey/store'
import type { MigrationReport } from './migrations.ts'

/** All stores on one database. Hand the whole object to a factory, or spread it: each takes what it needs by name. */
export interface SqlStores {
  readonly records: RecordStore & Required<Pick<RecordStore, 'sweep'>>
  readonly counters: CounterStore
  readonly factors: FactorStore
  readonly accounts: AccountStore & AccountDirectory
  readonly keys: KeyStore
  /**
   * Creates or upgrades the tables, which all begin with `latchkey_`. Any number of processes may call it at the same
   * time, as often as they like.
   */
  migrate(): Promise<MigrationReport>
  /** The SQL that `migrate` runs on a database without any table of ours, to read or to apply by hand. */
  migrationSql(): string
  /** Resolves when the database answers and its tables are those of this code: a probe of readiness. */
  check(): Promise<void>
  /** Closes the database. What is called afterwards throws. */
  close(): Promise<void>
}
