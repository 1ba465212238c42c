import type { DocumentStore, RecordStore, StoredRecord } from '@latchkey/store'
import type { AccountStore, StoredAccount } from './account-store.ts'

/** What an identity depends on of an account: neither its password's hash nor its address is read for it. */
export type IdentityAccount = Pick<StoredAccount, 'id' | 'roles' | 'status' | 'epoch' | 'keptKey' | 'enrolled'>

/** A session or refresh family with the account that it belongs to, read at one moment. */
export interface StoredIdentity {
  readonly record: StoredRecord
  readonly account: IdentityAccount
  /** Whether one of the ids that were asked is denied. */
  readonly isDenied: boolean
}

/** Stores of one database. */
export interface IdentitySources {
  readonly records: RecordStore
  readonly accounts: AccountStore
  readonly documents: DocumentStore
}

/** The capability of reading both at once, where records and accounts are in one database. */
export interface IdentityStore {
  /** The stores of the same database, whose content it reads. Beside others it is not used. */
  readonly reads: IdentitySources
  /**
   * Returns the record of that key with its account, or `null` where either is absent.
   *
   * @param denialIds ids of the collection `denials`: what exists of them is denied. @default none
   */
  readIdentity(key: string, denialIds?: readonly string[]): Promise<StoredIdentity | null>
}
