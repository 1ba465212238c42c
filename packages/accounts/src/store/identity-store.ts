import type { StoredRecord } from '@latchkey/store'
import type { StoredAccount } from './account-store.ts'

/** A session or refresh family with the account that it belongs to, read at one moment. */
export interface StoredIdentity {
  readonly record: StoredRecord
  readonly account: StoredAccount
}

/** The capability of reading both at once, where records and accounts are in one database. */
export interface IdentityStore {
  /** Returns the record of that key with its account, or `null` where either is absent. */
  readIdentity(key: string): Promise<StoredIdentity | null>
}
