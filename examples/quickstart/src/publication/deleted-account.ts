import type { Account } from '@latchkey/accounts'

/** Who is shown as the author of what is left of an account that was deleted. */
export interface DeletedAccount extends Omit<Account, 'email'> {
  readonly email: null
}

/** Its id stays, so that what one person has written stays that of one person. It can do nothing: it does not exist. */
export function deletedAccount(id: string): DeletedAccount {
  return { id, email: null, name: 'Deleted account', roles: ['READER'], status: 'disabled' }
}
