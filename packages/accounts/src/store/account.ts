import type { StoredAccount } from './account-store.ts'

/** An account as callers see it: never the password's hash, never the epoch. */
export type Account = Pick<StoredAccount, 'id' | 'email' | 'name' | 'roles' | 'status'>

/** Gives the part of a stored account that may leave this package. */
export function toAccount({ id, email, name, roles, status }: StoredAccount): Account {
  return { id, email, name, roles: [...roles], status }
}
