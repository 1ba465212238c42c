import type { Page } from '@latchkey/store'
import type { Attempt } from '../attempt.ts'
import type { Account } from '../store/account-store.ts'
import type { AccountFacts } from './account-facts.ts'
import type { IssuedCredentials } from './sign-in-result.ts'
import type { SignedInIdentity } from './signed-in-identity.ts'

/**
 * Accounts as administrators read and change them. The caller checks that the user is an administrator. With
 * `administration` the last administrator can be neither closed nor lose its roles, except by a command, and with an
 * `actorId` administrators cannot close their own account. `actorId` is the account of the administrator, for the
 * audit; omitted: not known, or a command.
 */
export interface AccountAdministration {
  /** Returns the account, or `null`. */
  get(id: string): Promise<Account | null>
  /**
   * Returns the accounts in the order of the ids, `null` for each unknown id, in one call of the store. It fits the
   * batch function of a loader.
   * @throws TypeError for more than 1000 ids.
   */
  getMany(ids: readonly string[]): Promise<(Account | null)[]>
  /** Returns the account with this address in any spelling of `canonicalEmail`, or `null`. */
  findByEmail(email: string): Promise<Account | null>
  /** Returns all accounts, page by page. */
  list(page?: Page): Promise<{ readonly items: readonly Account[]; readonly cursor?: string }>
  /** Finds accounts by a part of their address, name or id, page by page, in the stable order of the store. */
  findAccounts(input: {
    /** In any case. Omitted or blank: all accounts. */
    readonly text?: string | null
    /**
     * How many at most, 1 to 100.
     * @default 20
     */
    readonly first?: number
    /** The `cursor` of the previous page. Omitted: the first page. */
    readonly after?: string | null
  }): Promise<{ readonly items: readonly Account[]; readonly cursor: string | null }>
  /**
   * Creates an account that can sign in at once, for administrators. No mail verifies the address, so the administrator
   * has to know that it belongs to the person. It removes unfinished sign-ups with the address. `null`: the address is
   * taken.
   * @throws AccountsError EMAIL_INVALID, NAME_INVALID, PASSWORD_REJECTED. PasswordError PASSWORD_HASHER_UNAVAILABLE.
   * @throws TypeError when a role is empty or contains white space.
   */
  create(input: {
    readonly email: string
    /** `null`: the account has no password, and a mail with a link lets the person choose it. */
    readonly password: string | null
    /** The name of the person, 1 to 100 characters. */
    readonly name: string
    readonly roles: readonly string[]
    readonly actorId?: string | null
    readonly attempt: Attempt
  }): Promise<Account | null>
  /**
   * Sets the roles of the account and revokes its sessions and families, so none keeps the old roles. Roles that the
   * account has already are not written. `null`: the account does not exist.
   * @throws AccountsError LAST_ADMINISTRATOR.
   * @throws TypeError when a role is empty or contains white space.
   */
  setRoles(input: {
    readonly id: string
    readonly roles: readonly string[]
    readonly actorId?: string | null
    readonly attempt: Attempt
  }): Promise<Account | null>
  /**
   * Disables the account, with immediate effect. `null`: the account does not exist.
   * @throws AccountsError CANNOT_CHANGE_OWN_ACCOUNT, LAST_ADMINISTRATOR.
   */
  disable(input: {
    readonly id: string
    readonly actorId?: string | null
    readonly attempt: Attempt
  }): Promise<Account | null>
  /** Enables a disabled account; its revoked sessions stay revoked. `null`: the account does not exist. */
  enable(input: {
    readonly id: string
    readonly actorId?: string | null
    readonly attempt: Attempt
  }): Promise<Account | null>
  /**
   * Locks an active account, with immediate effect, and mails its owner. An account that is not active stays unchanged.
   * `null`: the account does not exist.
   * @throws AccountsError CANNOT_CHANGE_OWN_ACCOUNT, LAST_ADMINISTRATOR.
   */
  lockAccount(input: {
    readonly id: string
    readonly actorId?: string | null
    readonly attempt: Attempt
  }): Promise<Account | null>
  /** Unlocks a locked account; its revoked sessions stay revoked. `null`: the account does not exist. */
  unlockAccount(input: {
    readonly id: string
    readonly actorId?: string | null
    readonly attempt: Attempt
  }): Promise<Account | null>
  /**
   * Revokes all sessions, families and API keys of an account.
   * @returns the number of sessions and families that the store has found.
   */
  endSessions(input: {
    readonly id: string
    readonly actorId?: string | null
    readonly attempt: Attempt
  }): Promise<number>
  /**
   * Removes all second factors, recovery codes and links to providers of an account, for an administrator who knows the
   * person. It revokes all sessions and families. The owner then signs in with the password alone, or resets the password
   * first if the account has no password. `null`: the account does not exist.
   */
  resetFactors(input: {
    readonly id: string
    readonly actorId?: string | null
    readonly attempt: Attempt
  }): Promise<Account | null>
  /**
   * Lets an administrator act as another account for at most `lifetimeSeconds`, with a credential of the same form as
   * the administrator's: a session, or one access token with `act` (RFC 8693 §4.1) and no refresh token. The
   * impersonation stops with the administrator's session, with each change of either account, and when `mayImpersonate`
   * no longer allows it. The caller checks that the user is an administrator with a fresh proof. `null`: the account
   * does not exist.
   * @throws AccountsError REASON_INVALID, IMPERSONATION_NOT_ALLOWED, OPERATION_UNAVAILABLE.
   */
  startImpersonation(input: {
    /** The identity of the administrator. */
    readonly identity: SignedInIdentity
    readonly accountId: string
    /** 1 to 500 characters: it is audited, and in no event and no mail. */
    readonly reason: string
    readonly attempt: Attempt
  }): Promise<{
    readonly account: Account
    readonly credentials:
      | Extract<IssuedCredentials, { readonly delivery: 'session' }>
      | {
          readonly delivery: 'bearer'
          readonly accessToken: string
          /** Epoch milliseconds. */
          readonly accessTokenExpiresAt: number
        }
    readonly identity: AccountFacts
    /** The latest time of the impersonation, epoch milliseconds. */
    readonly expiresAt: number
  } | null>
  /**
   * Stops the impersonation, and revokes the administrator's session whose cookie it has replaced: the administrator
   * signs in again. `false`: it had stopped before.
   */
  endImpersonation(input: {
    /** The identity of an administrator who acts as another account. */
    readonly identity: SignedInIdentity
    readonly attempt: Attempt
  }): Promise<boolean>
}
