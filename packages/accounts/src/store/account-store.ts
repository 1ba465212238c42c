import { randomToken } from '@latchkey/bytes'
import type { DocumentStore, Page, RecordStore, StoreCapabilities, StoredRecord } from '@latchkey/store'
import type { AddressReservations } from './address-reservations.ts'

/** An account in the store. Callers of `accounts` receive an `Account`. */
export interface StoredAccount {
  /** Drawn once when the account is created, never used again. */
  readonly id: string
  /** Canonical, as `canonicalEmail` returns it; no two accounts have the same. */
  readonly email: string
  /** The name of the person: shown to others, not unique. */
  readonly name: string
  readonly roles: readonly string[]
  /**
   * Only an `active` account can sign in, and its sessions are valid only while it is active. A `locked` account is
   * treated like a `disabled` account.
   */
  readonly status: 'unverified' | 'active' | 'disabled' | 'locked'
  /** In the form of `@latchkey/password`; `null`: no password is set. */
  readonly passwordHash: string | null
  /** Raised by one to revoke everything that was opened before: after a new password, other roles, another status. */
  readonly epoch: number
  /**
   * The public key of the session or refresh family that the last raise of the epoch kept: it is valid although its
   * epoch is one less than the account's. `null`: the raise kept none.
   */
  readonly keptKey: string | null
  /**
   * The kinds of second factors that the account may have: all active kinds, and perhaps a kind that was just removed
   * or is being added. So every sign-in that reads the account sees all of them.
   */
  readonly enrolled: readonly string[]
}

/** An account as callers see it: never the password's hash, never the epoch. */
export type Account = Pick<StoredAccount, 'id' | 'email' | 'name' | 'roles' | 'status'>

/** The fields that a swap of an account expects or sets. */
export type AccountChange = Partial<Omit<StoredAccount, 'id'>>

/**
 * Durable accounts, on your own table if needed. Each method is one atomic statement without a transaction, and each
 * change touches one row. Test an implementation with `describeAccountStore` of `@latchkey/accounts/testing`. A method
 * that cannot reach its backend in time throws a `StoreError`; it never reports the account as absent.
 */
export interface AccountStore {
  /** Omitted: it was written for version 1 of the contract. */
  readonly capabilities?: Pick<StoreCapabilities, 'contract'>
  /**
   * False if the id or the e-mail is taken, or the e-mail is reserved for another account. Never overwrites. A new account has no
   * kept key and no second factor.
   */
  insert(account: Omit<StoredAccount, 'keptKey' | 'enrolled'>): Promise<boolean>
  /** Returns the account, or `null`. The object is the caller's own. */
  get(id: string): Promise<StoredAccount | null>
  /** Returns the account with exactly that canonical e-mail, or `null`. */
  getByEmail(email: string): Promise<StoredAccount | null>
  /**
   * Compare and swap: sets `next` if every field of `expected` still has the given value (lists in the same order). True for
   * exactly one of several callers that expect the same values. A swap that sets `epoch` without `keptKey` clears `keptKey`.
   *
   * False, without any change, if the account is absent or has another value, or the new e-mail is taken or reserved.
   */
  replace(id: string, expected: AccountChange, next: AccountChange): Promise<boolean>
  /**
   * Also removes its reservations. True for exactly one caller. False, without any change, if the account is absent or has another
   * epoch than `expected`. Omitted: the account of any epoch is removed.
   */
  remove(id: string, expected?: Pick<StoredAccount, 'epoch'>): Promise<boolean>
  /**
   * Returns accounts in a stable order, at most `limit` (default 100), and a `cursor` while there may be more. `text`, in lower
   * case, may narrow the result to accounts with this part in e-mail, name or id: callers filter again.
   */
  list(
    page?: Page & { readonly text?: string },
  ): Promise<{ readonly items: readonly StoredAccount[]; readonly cursor?: string }>
  /** Shortcut: returns the existing accounts of up to 1000 different ids, in any order. Omitted: each is read by `get`. */
  getMany?(ids: readonly string[]): Promise<readonly StoredAccount[]>
  /**
   * Shortcut: returns two active accounts of each list of roles that active accounts have, or the only one. Omitted: all pages are
   * read to find another administrator.
   */
  listRoleHolders?(): Promise<readonly StoredAccount[]>
  /** Returns whether the accounts are kept in the memory of this process. Omitted: other processes see them. */
  isInMemory?(): boolean | Promise<boolean>
  /** Group: changes of e-mail can be undone. */
  readonly reservations?: AddressReservations
  /** Group: a session and its account in one read. */
  readonly identities?: IdentityReads
}

/** A session or refresh family and its account, read at one moment. */
export interface StoredIdentity {
  readonly record: StoredRecord
  /** Without address and password hash, which no identity needs. */
  readonly account: Pick<StoredAccount, 'id' | 'roles' | 'status' | 'epoch' | 'keptKey' | 'enrolled'>
  /** Whether one of the given ids is denied. */
  readonly isDenied: boolean
}

/** Reads of a session and its account in one statement: a group of an `AccountStore` whose database has these stores, too. */
export interface IdentityReads {
  /** The stores of the same database. With other `records`, the group is ignored. */
  readonly records: RecordStore
  readonly documents: DocumentStore
  /**
   * Returns the record of the key with its account, or `null` if either is absent.
   *
   * @param denialIds ids in the collection `denials`: an id with a document is denied.
   * @default none
   */
  read(key: string, denialIds?: readonly string[]): Promise<StoredIdentity | null>
}

/** The part of an account that identities depend on. */
export type IdentityAccount = StoredIdentity['account']

/** Returns the part of a stored account that may leave this package. */
export function toAccount({ id, email, name, roles, status }: StoredAccount): Account {
  return { id, email, name, roles: [...roles], status }
}

/** Whether an account was closed by others: neither a sign-in nor a link opens it. */
export function isClosed({ status }: Pick<StoredAccount, 'status'>): boolean {
  return status === 'disabled' || status === 'locked'
}

/** Returns an id that was never used. */
export function drawAccountId(): string {
  return `acc_${randomToken(16)}`
}

/** @throws TypeError unless each role fits the `role` claim, which joins roles with a space. */
export function checkRoles(roles: readonly string[], name: string): void {
  const isRole = (role: unknown): boolean => typeof role === 'string' && /^[^\s\p{Cc}]{1,100}$/u.test(role)
  if (!Array.isArray(roles) || !roles.every(isRole)) {
    throw new TypeError(`"${name}": a role is a text of 1 to 100 characters without white space`)
  }
}
