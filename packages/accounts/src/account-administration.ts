import { checkAttempt } from './attempt.ts'
import type { AccountsContext } from './context/accounts-context.ts'
import type { Account } from './store/account-store.ts'
import {
  type AdministrationInput,
  disable,
  enable,
  endSessions,
  lockAccount,
  type SetRolesInput,
  setRoles,
  unlockAccount,
} from './use-cases/administration/administer.ts'
import { type FindAccountsInput, type FoundAccounts, findAccounts } from './use-cases/administration/find-accounts.ts'

/**
 * What administrators do to accounts. Whether one may is the rule of who calls. With `administration` the last account that
 * could is neither closed nor loses its roles, unless by a command, and with an `actorId` none closes itself.
 */
export interface AccountAdministration {
  /**
   * Sets the roles of the account and ends what it has open, so that nothing acts with the old ones. `null`: the account
   * does not exist.
   * @throws AccountsError LAST_ADMINISTRATOR.
   * @throws TypeError when a role is empty or contains white space.
   */
  setRoles(input: SetRolesInput): Promise<Account | null>
  /**
   * Disables the account, with immediate effect. `null`: the account does not exist.
   * @throws AccountsError CANNOT_CHANGE_OWN_ACCOUNT, LAST_ADMINISTRATOR.
   */
  disable(input: AdministrationInput): Promise<Account | null>
  /** Enables a disabled account; what it had open stays ended. `null`: the account does not exist. */
  enable(input: AdministrationInput): Promise<Account | null>
  /**
   * Locks an active account, with immediate effect, and writes to its owner. Another one stays as it is. `null`: the account
   * does not exist.
   * @throws AccountsError CANNOT_CHANGE_OWN_ACCOUNT, LAST_ADMINISTRATOR.
   */
  lockAccount(input: AdministrationInput): Promise<Account | null>
  /** Unlocks a locked account; what it had open stays ended. `null`: the account does not exist. */
  unlockAccount(input: AdministrationInput): Promise<Account | null>
  /** Ends everything that an account has open, and returns how many sessions and families the store has found. */
  endSessions(input: AdministrationInput): Promise<number>
  /** Finds accounts by a part of their address, name or id, page by page. */
  findAccounts(input: FindAccountsInput): Promise<FoundAccounts>
}

export function bindAdministration(context: AccountsContext): AccountAdministration {
  return {
    setRoles: async (input) => setRoles(context, checkAttempt(input)),
    disable: async (input) => disable(context, checkAttempt(input)),
    enable: async (input) => enable(context, checkAttempt(input)),
    lockAccount: async (input) => lockAccount(context, checkAttempt(input)),
    unlockAccount: async (input) => unlockAccount(context, checkAttempt(input)),
    endSessions: async (input) => endSessions(context, checkAttempt(input)),
    findAccounts: async (input) => findAccounts(context, input),
  }
}
