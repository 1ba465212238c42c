import type { Emit } from '@latchkey/core/internal'
import { checkOptionNames, describeFailure } from '@latchkey/core/internal'
import { type AnyPolicy, type OpenRoles, openRoles, type RoleStore } from '@latchkey/rbac'
import type { ServiceFailedEvent } from '../settings/events/server-event.ts'

export interface ChangingRolesOptions {
  /** Where the roles are kept. A store that cannot answer throws the `StoreError` of `@latchkey/store`: that is a 503. */
  readonly store: RoleStore
  /**
   * How old what is known of the store may be when a request is identified. With 0 the store is asked for every request,
   * as it is for the account, so a change by any process counts with the next one.
   * @default 0
   */
  readonly maxStalenessSeconds?: number
}

/** @throws TypeError that names what cannot be used. */
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

interface ChangingRolesParts {
  readonly options: { readonly roles?: ChangingRolesOptions }
  readonly policy: AnyPolicy
  readonly emit: Emit<ServiceFailedEvent>
  readonly now: () => number
}

/** Reads the roles of the store, where the options name one. `null`: the roles of the policy are all there are. */
export async function openChangingRoles(parts: ChangingRolesParts): Promise<OpenRoles<AnyPolicy> | null> {
  const { options, policy, emit, now } = parts
  if (!options.roles) return null
  const { store, maxStalenessSeconds = 0 } = options.roles
  const onRefused = (cause: unknown): void =>
    emit({ type: 'service.failed', during: 'roles', failure: describeFailure(cause), cause })
  return openRoles({ policy, store, maxStalenessSeconds, onRefused, now })
}
