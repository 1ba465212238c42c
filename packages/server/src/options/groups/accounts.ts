import type { DataExportOptions, DeletionOptions, ImpersonationOptions } from '@latchkey/accounts'

/** Changes of accounts by their owners and by administrators. */
export interface AccountOptions {
  /**
   * For how many days the former address undoes a change of address, 0 to 30: it stays reserved as long. With 0 both addresses
   * confirm a change. More than 0 needs `stores.addresses`.
   * @default 7 with `stores.addresses`, without it addresses are not changed
   */
  readonly emailUndoDays?: number
  /** What a deletion does to the data of the application. Omitted: owners do not delete their accounts. */
  readonly deletion?: DeletionOptions
  /** What `exportAccount` exports of the data of the application. */
  readonly dataExport?: Pick<DataExportOptions, 'application'>
  /**
   * Lets who has the permission `accounts:impersonate` act as another account that can do no more than they can and administers
   * nothing, after a fresh second factor and with a reason for the audit. Such an identity has `impersonator`, and is refused
   * what is its owner's alone. Needs that permission in `policy`, and `signIn.totp` or `signIn.passkeys`. Omitted: no one does.
   */
  readonly impersonation?: Omit<ImpersonationOptions, 'mayImpersonate'>
  /**
   * Roles in `stores.documents`, which change while the service runs, in addition to those of `policy`: `{}` or
   * `{ maxStalenessSeconds }`. Omitted: there are no others.
   */
  readonly changingRoles?: {
    /**
     * How old what is known of the store may be when a request is identified. With 0 the store is asked for every request,
     * as it is for the account, so a change by any process counts with the next one.
     * @default 0
     */
    readonly maxStalenessSeconds?: number
  }
}
