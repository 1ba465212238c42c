/** All stored roles under one version, so that a change is checked as a whole. */
export interface StoredRoles {
  /** From 1; incremented by each change. */
  readonly version: number
  readonly roles: RoleDocument
}

/** Role → inherited roles and permissions. Names are checked when it is read, not by the store. */
export type RoleDocument = Readonly<
  Record<string, { readonly inherits?: readonly string[]; readonly permissions?: readonly string[] }>
>

/** Where roles are stored that change at run time: durable and strongly consistent. */
export interface RoleStore {
  /** Returns the stored roles, or `null` when there are none. */
  read(): Promise<StoredRoles | null>
  /**
   * Stores the roles as the version after this one, in one atomic step: true for exactly one caller.
   * @param version the version that was read; 0 when nothing was stored.
   */
  replace(version: number, roles: RoleDocument): Promise<boolean>
}

/**
 * Creates a role store in memory, for tests and for roles that are set at every start.
 *
 * @example
 * import { createMemoryRoleStore } from '@latchkey/rbac'
 * const store = createMemoryRoleStore()
 * await store.replace(0, { READER: { permissions: ['notes:read'] } }) // true, and false the second time
 */
export function createMemoryRoleStore(): RoleStore {
  let stored: StoredRoles | null = null
  return {
    read: async () => stored && structuredClone(stored),
    async replace(version, roles) {
      if (version !== (stored?.version ?? 0)) return false
      stored = { version: version + 1, roles: structuredClone(roles) }
      return true
    },
  }
}
