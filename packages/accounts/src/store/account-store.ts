import { randomToken } from '@latchkey/bytes'
import type { Page } from '@latchkey/store'

/** An account as a store keeps it. What a caller of `accounts` sees of it is an `Account`. */
export interface StoredAccount {
  /** Drawn once when the account is created, never used again. */
  readonly id: string
  /** Canonical, as `canonicalEmail` returns it; no two accounts have the same. */
  readonly email: string
  /** The name of the person: shown to others, not unique. */
  readonly name: string
  readonly roles: readonly string[]
  /**
   * Only an `active` account can sign in, and its sessions are valid only while it is active. A `locked` one is treated as
   * a `disabled` one.
   */
  readonly status: 'unverified' | 'active' | 'disabled' | 'locked'
  /** In the form of `@latchkey/password`; `null`: no password is set. */
  readonly passwordHash: string | null
  /** Raised by one whenever what was opened before must end: a new password, other roles, another status. */
  readonly epoch: number
  /**
   * The session or refresh family that goes on over the last raise of the epoch, by its public key: with an epoch one less
   * than the account's it still counts. `null`: nothing does.
   */
  readonly keptKey: string | null
  /**
   * The kinds of second factors that the account may have: all that are in force, and perhaps one that was just removed or
   * is about to be. So no sign-in that reads the account can miss one.
   */
  readonly enrolled: readonly string[]
}

/** An account before `insert`: it keeps no key and has no second factor. */
export type NewAccount = Omit<StoredAccount, 'keptKey' | 'enrolled'>

/** An account as callers see it: never the password's hash, never the epoch. */
export type Account = Pick<StoredAccount, 'id' | 'email' | 'name' | 'roles' | 'status'>

/** Some fields of an account: the values that a swap expects, or those that it sets. The id never changes, the name by `ProfileStore`. */
export type AccountChange = Partial<Omit<StoredAccount, 'id' | 'name'>>

/**
 * Durable accounts: what an application implements to bring its own table. Every method is one atomic statement, a change
 * is one of one row, and none needs a transaction. `describeAccountStore` of `@latchkey/accounts/testing` proves an implementation.
 */
export interface AccountStore {
  /** Adds an account. `false`: the id or the e-mail is taken; nothing is ever overwritten. */
  insert(account: NewAccount): Promise<boolean>
  /** Returns the account with that id, as a copy of the caller's own, or `null`. */
  get(id: string): Promise<StoredAccount | null>
  /** Returns those of the accounts that exist, each once and in any order, as `get` does. Called with at most 1000 ids, each once. */
  getMany(ids: readonly string[]): Promise<readonly StoredAccount[]>
  /** Returns the account with exactly that canonical e-mail, or `null`. */
  getByEmail(email: string): Promise<StoredAccount | null>
  /**
   * Compare and swap: sets `next` when every field of `expected` still has the value given there (lists in the same
   * order), and is `true` for exactly one of several callers that expect the same values.
   *
   * A swap that sets `epoch` sets `keptKey` in the same statement: to what `next` names, otherwise to `null`, so that a
   * raise that names nothing ends everything.
   *
   * `false`: the account does not exist, has another value, or the new e-mail is taken; then nothing has changed.
   */
  replace(id: string, expected: AccountChange, next: AccountChange): Promise<boolean>
  /** Removes the account; `true` for exactly one caller. */
  remove(id: string): Promise<boolean>
  /**
   * Returns whether the accounts are kept in the memory of this process, where no other process sees them. Commands refuse to change
   * such a store. Omitted: other processes see them.
   */
  isInMemory?(): boolean | Promise<boolean>
}

/** Which accounts a directory lists. */
export interface DirectoryPage extends Page {
  /**
   * A part of the address, the name or the id, in lower case. A store may leave out accounts of which it is none, and no
   * others: what is listed is judged again. Omitted: all accounts.
   */
  readonly text?: string
}

/** The capability that administration needs of a store: all accounts, page by page. */
export interface AccountDirectory {
  /** Returns accounts in a stable order, at most `limit` (default 100), and a `cursor` while there may be more. */
  list(page?: DirectoryPage): Promise<{ readonly items: readonly StoredAccount[]; readonly cursor?: string }>
  /**
   * Returns two active accounts of each list of roles that active accounts have, or the only one: what shows whether another
   * administrator is left without reading all accounts. Omitted: they are read page by page.
   */
  listRoleHolders?(): Promise<readonly StoredAccount[]>
}

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

/** @throws TypeError unless each role can stand in the `role` claim, which joins them with a space. */
export function checkRoles(roles: readonly string[], name: string): void {
  const isRole = (role: unknown): boolean => typeof role === 'string' && /^[^\s\p{Cc}]{1,100}$/u.test(role)
  if (!Array.isArray(roles) || !roles.every(isRole)) {
    throw new TypeError(`"${name}": a role is a text of 1 to 100 characters without white space`)
  }
}
