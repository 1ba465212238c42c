import { checkOptionNames } from '@latchkey/options'
import { RbacError } from './errors.ts'
import { createFreshReads } from './fresh-reads.ts'
import type { Identity, IdentityInput } from './identity.ts'
import type { AnyPolicy, PermissionOf } from './policy.ts'
import type { RoleDefinition } from './policy-definition.ts'
import type { RoleDocument, RoleStore, StoredRoles } from './role-store.ts'

export interface RolesOptions<P extends AnyPolicy> {
  /** Its roles are changed. Roles of the code that the store does not name stay as they are written. */
  readonly policy: P
  readonly store: RoleStore
  /**
   * How old what is known of the store may be when somebody is identified. Default 5; 0 asks the store each time. A
   * change in this process is in force at once, whatever stands here.
   */
  readonly maxStalenessSeconds?: number
  /**
   * Is given the `RbacError` when another process has stored roles that this one cannot use, such as those of a newer
   * version of the program. The roles before them stay in force.
   */
  readonly onRefused: (error: RbacError) => void
  /** Epoch milliseconds. Default `Date.now`. */
  readonly now?: () => number
}

/** Roles that are kept in a store and change while the process runs. */
export interface OpenRoles<P extends AnyPolicy> {
  /**
   * As `policy.identify`, with roles that are no older than `maxStalenessSeconds`. Rejects with what the store threw
   * when it could not be asked in time: an outage is not an ordinary no.
   */
  identify(input: IdentityInput | null | undefined): Promise<Identity | null>
  /** Makes sure that the roles in force are no older than `maxStalenessSeconds`; rejects as `identify` does. */
  refresh(): Promise<void>
  /**
   * Adds a role, or puts it in place of one of that name. In force here at once, elsewhere within the bound.
   * @throws RbacError `ROLES_REFUSED` when it cannot be used; `ROLES_CONTENDED`. Nothing has changed then.
   */
  set(role: string, definition: RoleDefinition<PermissionOf<P>, string>): Promise<void>
  /**
   * Takes a role out of the store: false when it was not there. A role of the code is again what the code says.
   * @throws RbacError `ROLES_REFUSED` when another role inherits it; `ROLES_CONTENDED`.
   */
  remove(role: string): Promise<boolean>
}

const attempts = 5

const optionNames = { policy: true, store: true, maxStalenessSeconds: true, onRefused: true, now: true } as const

/**
 * Puts the roles of a store into force, and keeps them so.
 *
 * @throws TypeError naming the option that cannot be used.
 * @throws RbacError `ROLES_REFUSED` when the stored roles cannot be used: a service begins with roles that it
 *   understands, or not at all. Rejects with what the store throws.
 *
 * @example
 * import { createMemoryRoleStore, definePolicy, openRoles } from '@latchkey/rbac'
 * const policy = definePolicy({
 *   permissions: ['notes:read', 'notes:delete'],
 *   roles: { READER: { permissions: ['notes:read'] } },
 * })
 * const roles = await openRoles({ policy, store: createMemoryRoleStore(), onRefused: (error) => console.error(error) })
 * await roles.set('MODERATOR', { inherits: ['READER'], permissions: ['notes:delete'] })
 * const identity = await roles.identify({ subject: 'acc_1', roles: ['MODERATOR'] })
 * policy.can(identity, 'notes:delete') // true
 */
export async function openRoles<P extends AnyPolicy>(options: RolesOptions<P>): Promise<OpenRoles<P>> {
  const { policy, store, onRefused } = checkOptionNames('openRoles', options, optionNames)
  const { maxStalenessSeconds, now } = checkOptions(options)
  let version = 0
  let refusedVersion: number | null = null
  let lastEdit: Promise<unknown> = Promise.resolve()

  const apply = (stored: StoredRoles): void => {
    policy.changeRoles(stored.roles)
    version = stored.version
    refusedVersion = null
  }
  const read = async (): Promise<StoredRoles> => (await store.read()) ?? { version: 0, roles: {} }
  const reads = createFreshReads({
    read,
    maxAgeMs: maxStalenessSeconds * 1000,
    now,
    take(stored) {
      if (stored.version === version || stored.version === refusedVersion) return
      try {
        apply(stored)
      } catch (error) {
        if (!(error instanceof RbacError)) throw error
        refusedVersion = stored.version
        report(onRefused, error)
      }
    },
  })

  /** @param edit gives the roles as they shall be, or `null` when there is nothing to do. */
  async function change(edit: (roles: RoleDocument) => RoleDocument | null): Promise<boolean> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const stored = await read()
      const roles = edit(stored.roles)
      if (roles === null) return false
      policy.checkRoles(roles)
      const askedAt = now()
      const known = version
      if (!(await store.replace(stored.version, roles))) continue
      reads.overtake(askedAt)
      // What was read meanwhile may be what others stored after this, and they may have taken something away.
      const isOvertaken = version !== known && version > stored.version
      if (!isOvertaken) apply({ version: stored.version + 1, roles })
      return true
    }
    throw new RbacError('ROLES_CONTENDED', 'others changed the roles meanwhile: nothing was stored, try again')
  }
  /** One after the other, so that they come into force in the order in which they were stored. */
  const inTurn = (edit: (roles: RoleDocument) => RoleDocument | null): Promise<boolean> => {
    const done = lastEdit.then(() => change(edit))
    lastEdit = done.catch(() => undefined)
    return done
  }

  apply(await read())
  return {
    async identify(input) {
      if (input === null || input === undefined) return null
      await reads.refresh()
      return policy.identify(input)
    },
    refresh: () => reads.refresh(),
    async set(role, definition) {
      await inTurn((roles) => ({ ...roles, [role]: definition }))
    },
    remove: (role) =>
      inTurn((roles) => {
        if (!Object.hasOwn(roles, role)) return null
        const { [role]: _removed, ...others } = roles
        return others
      }),
  }
}

/** A log that fails must not keep anybody out. */
function report(onRefused: (error: RbacError) => void, error: RbacError): void {
  try {
    onRefused(error)
  } catch {}
}

function checkOptions({ policy, store, onRefused, maxStalenessSeconds = 5, now = Date.now }: RolesOptions<AnyPolicy>): {
  readonly maxStalenessSeconds: number
  readonly now: () => number
} {
  if (typeof policy?.changeRoles !== 'function') throw new TypeError('"policy" must come from definePolicy')
  if (typeof store?.read !== 'function' || typeof store.replace !== 'function') {
    throw new TypeError('"store" must be a RoleStore')
  }
  if (typeof onRefused !== 'function') throw new TypeError('"onRefused" must be a function')
  if (!Number.isFinite(maxStalenessSeconds) || maxStalenessSeconds < 0) {
    throw new TypeError('"maxStalenessSeconds" must be a number of seconds, at least 0')
  }
  return { maxStalenessSeconds, now }
}
