import { checkOptionNames } from '@latchkey/options'
import type { RoleStore } from '@latchkey/rbac'

export interface ChangingRolesOptions {
  /** Where the roles are kept. A store that cannot answer throws the `StoreError` of `@latchkey/store`: that is a 503. */
  readonly store: RoleStore
  /**
   * How old what is known of the store may be when somebody is identified. 0 unless told: the store is asked for every
   * request, as it is for the account, so a change by whatever process counts with the next one.
   */
  readonly maxStalenessSeconds?: number
}

/** @throws TypeError naming what cannot be used. */
export function checkChangingRoles(roles: ChangingRolesOptions): void {
  const { store, maxStalenessSeconds = 0 } = checkOptionNames('"roles"', roles, {
    store: true,
    maxStalenessSeconds: true,
  })
  if (typeof store?.read !== 'function' || typeof store.replace !== 'function') {
    throw new TypeError('"roles.store" must be a RoleStore with "read" and "replace"')
  }
  if (!Number.isFinite(maxStalenessSeconds) || maxStalenessSeconds < 0) {
    throw new TypeError('"roles.maxStalenessSeconds" must be a number of seconds, at least 0')
  }
}
