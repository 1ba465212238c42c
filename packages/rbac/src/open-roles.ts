import { checkOptionNames, wallClock } from '@latchkey/core/internal'
import type { DocumentStore } from '@latchkey/store'
import { storedVersion as newestVersion } from '@latchkey/store/internal'
import { isRbacError, RbacError } from './errors.ts'
import { createFreshReads } from './fresh-reads.ts'
import type { Identity, IdentityInput } from './identity.ts'
import type { AnyPolicy, PermissionOf } from './policy.ts'
import type { RoleDefinition } from './policy-definition.ts'
import { openStoredRoles, type RoleDocument, type RoleRevision } from './stored-roles.ts'

/** Roles in a store, which may change while the process runs. */
export interface OpenRoles<P extends AnyPolicy> {
  /**
   * Like `policy.identify`, with roles no older than `maxStalenessSeconds`. Rejects with the store's error when they
   * could not be read: an outage is not a refusal.
   */
  identify(input: IdentityInput | null | undefined): Promise<Identity | null>
  /** Resolves when the active roles are no older than `maxStalenessSeconds`; rejects like `identify`. */
  refresh(): Promise<void>
  /**
   * Adds a role, or replaces the role of that name. It is active in this process at once, in others within the bound.
   *
   * @throws RbacError `RBAC_ROLES_INVALID` if it is not valid; `RBAC_ROLES_UNAVAILABLE` if other callers kept changing
   * the roles. The roles are then unchanged.
   */
  set(role: string, definition: RoleDefinition<PermissionOf<P>, string>): Promise<void>
  /**
   * Removes a role from the store; false when it was not there. A role of the code is restored to its definition.
   * @throws RbacError `RBAC_ROLES_INVALID` when another role inherits it; `RBAC_ROLES_UNAVAILABLE`.
   */
  remove(role: string): Promise<boolean>
}

const attempts = 5

const optionNames = {
  policy: true,
  documents: true,
  maxStalenessSeconds: true,
  onRefused: true,
  now: true,
  storedVersion: true,
} as const

/**
 * Puts the roles of a store into force, and keeps them up to date.
 *
 * @throws TypeError naming the option that is unknown or not valid.
 * @throws RbacError `RBAC_ROLES_INVALID` when the stored roles are not valid: a service starts with valid roles or not at
 *   all. Errors of the store pass through.
 *
 * @example
 * import { definePolicy, openRoles } from '@latchkey/rbac'
 * import { createMemoryDocumentStore } from '@latchkey/store'
 * const policy = definePolicy({
 *   permissions: ['notes:read', 'notes:delete'],
 *   roles: { READER: { permissions: ['notes:read'] } },
 * })
 * const documents = createMemoryDocumentStore()
 * const roles = await openRoles({ policy, documents, onRefused: (error) => console.error(error) })
 * await roles.set('MODERATOR', { inherits: ['READER'], permissions: ['notes:delete'] })
 * const identity = await roles.identify({ subject: 'acc_1', roles: ['MODERATOR'] })
 * policy.can(identity, 'notes:delete') // true
 */
export async function openRoles<P extends AnyPolicy>(options: {
  /** Its roles are changed. Roles of the code that the store does not name are unchanged. */
  readonly policy: P
  /** Keeps the roles, in its collection `roles`. */
  readonly documents: DocumentStore
  /**
   * The maximum age of the known roles when an identity is created; 0 reads the store each time. A change in this
   * process is always active at once.
   * @default 5
   */
  readonly maxStalenessSeconds?: number
  /**
   * Receives the `RbacError` if another process has stored roles that are not valid for this process, for example of a
   * newer version of the program. The previous roles stay active.
   */
  readonly onRefused: (error: RbacError) => void
  /**
   * The clock, in epoch milliseconds.
   * @default Date.now
   */
  readonly now?: () => number
  /**
   * Returns the version of stored values to write, as in `createSessions`.
   * @default `storedVersion` of `@latchkey/store`, the newest
   */
  readonly storedVersion?: () => number
}): Promise<OpenRoles<P>> {
  const { policy, documents, onRefused } = checkOptionNames('openRoles', options, optionNames)
  const { maxStalenessSeconds, now } = checkOptions(options)
  const store = openStoredRoles(documents, options.storedVersion ?? (() => newestVersion))
  let revision = 0
  let refused: number | null = null
  let lastEdit: Promise<unknown> = Promise.resolve()

  const apply = (stored: RoleRevision): void => {
    policy.changeRoles(stored.roles)
    revision = stored.revision
    refused = null
  }
  const reads = createFreshReads({
    read: store.read,
    maxAgeMs: maxStalenessSeconds * 1000,
    now,
    take(stored) {
      if (stored.revision === revision || stored.revision === refused) return
      try {
        apply(stored)
      } catch (error) {
        if (!isRbacError(error)) throw error
        refused = stored.revision
        report(onRefused, error)
      }
    },
  })

  /** @param edit returns the new roles, or `null` if they do not change. */
  async function change(edit: (roles: RoleDocument) => RoleDocument | null): Promise<boolean> {
    for (let attempt = 0; attempt < attempts; attempt++) {
      const stored = await store.read()
      const roles = edit(stored.roles)
      if (roles === null) return false
      policy.checkRoles(roles)
      const askedAt = now()
      const known = revision
      if (!(await store.replace(stored, roles))) continue
      reads.overtake(askedAt)
      // What was read in the meantime may be a later change of another process, which may have removed something.
      const isOvertaken = revision !== known && revision > stored.revision
      if (!isOvertaken) apply({ revision: stored.revision + 1, roles })
      return true
    }
    throw new RbacError('RBAC_ROLES_UNAVAILABLE', 'others changed the roles meanwhile: nothing was stored, try again')
  }
  /** Runs edits one after the other, so that they come into force in the order in which they were stored. */
  const inTurn = (edit: (roles: RoleDocument) => RoleDocument | null): Promise<boolean> => {
    const done = lastEdit.then(() => change(edit))
    lastEdit = done.catch(() => undefined)
    return done
  }

  apply(await store.read())
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

/** A listener that throws must not refuse a request. */
function report(onRefused: (error: RbacError) => void, error: RbacError): void {
  try {
    onRefused(error)
  } catch {}
}

function checkOptions({
  policy,
  documents,
  onRefused,
  maxStalenessSeconds = 5,
  now = wallClock,
}: Parameters<typeof openRoles>[0]): {
  readonly maxStalenessSeconds: number
  readonly now: () => number
} {
  if (typeof policy?.changeRoles !== 'function') throw new TypeError('"policy" must come from definePolicy')
  if (typeof documents?.replace !== 'function') throw new TypeError('"documents" must be a DocumentStore')
  if (typeof onRefused !== 'function') throw new TypeError('"onRefused" must be a function')
  if (!Number.isFinite(maxStalenessSeconds) || maxStalenessSeconds < 0) {
    throw new TypeError('"maxStalenessSeconds" must be a number of seconds, at least 0')
  }
  return { maxStalenessSeconds, now }
}
