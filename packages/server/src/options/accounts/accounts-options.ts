import type { AccountsOptions } from '@latchkey/accounts'

/** Changes of accounts by their owners and by administrators. */
export interface AccountOptions {
  /**
   * The number of days in which the former email address can undo a change of address, 0 to 30; it stays reserved meanwhile.
   * With 0 both addresses confirm a change. More than 0 needs `stores.accounts.reservations`.
   * @default 7 if `stores.accounts` has `reservations`; otherwise addresses cannot be changed
   */
  readonly emailUndoDays?: number
  /** Lets owners delete their accounts, and deletes their data in the application. Omitted: owners cannot delete accounts. */
  readonly deletion?: Required<AccountsOptions>['deletion']
  /** Adds the data of the application to the response of `exportAccount`. */
  readonly dataExport?: Pick<Required<AccountsOptions>['dataExport'], 'application'>
  /**
   * Lets administrators with the permission `accounts:impersonate` act as an account that has no permission they lack and
   * administers no accounts, after a fresh second factor and with a reason for the audit log. The identity then has
   * `impersonator`, and operations for the owner only are rejected. Needs the permission in `policy`, and `signIn.totp` or
   * `signIn.passkeys`. Omitted: administrators cannot.
   */
  readonly impersonation?: Omit<Required<AccountsOptions>['impersonation'], 'mayImpersonate'>
  /**
   * Lets programs act for accounts with API keys, at the GraphQL endpoint only: within the scopes of the key and the roles of the
   * account, as a third party. Omitted: there are no keys.
   */
  readonly apiKeys?: Omit<Required<AccountsOptions>['apiKeys'], 'mayGrant'> & {
    /**
     * The scopes that keys may have: permissions and groups of `policy`, and scopes of OpenID Connect, for example
     * `email`.
     */
    readonly scopes: readonly string[]
  }
  /**
   * Adds roles that change while the service runs to the roles of `policy`: `{}`, or `{ maxStalenessSeconds }`. They are stored
   * in `stores.documents`. Omitted: the roles of `policy` are all roles.
   */
  readonly changingRoles?: {
    /**
     * The maximum age of the known roles when a request is identified. With 0 the roles are read for every request, as the
     * account is, so a change by any process applies to the next request.
     * @default 0
     */
    readonly maxStalenessSeconds?: number
  }
}
