import type { Account } from '@latchkey/accounts'

/** The author of the articles and comments that remain after an account was deleted. */
export interface DeletedAccount extends Omit<Account, 'email'> {
  readonly email: null
}

/** Keeps the id, so that the texts of one author still share it. There is no such account to act with. */
export function deletedAccount(id: string): DeletedAccount {
  return { id, email: null, name: 'Deleted account', roles: ['READER'], status: 'disabled' }
}
