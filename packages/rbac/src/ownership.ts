/**
 * How to find the owner of one kind of resource. Implement what is needed: `ownerOf` for a loaded resource,
 * `ownersById` for rules that have an id only, `ownedBy` for lists. The comparison with the subject is made by the
 * policy.
 */
export interface Ownership<Resource, Where> {
  /**
   * Returns the owner's subject of a loaded resource. Synchronous: a promise, an exception or anything but a text means
   * that it has no owner.
   */
  ownerOf?(resource: Resource): string | null | undefined
  /**
   * Returns the owners of many resources: resource id → owner's subject, without ids that do not exist. Its errors pass
   * through: an outage is not a refusal.
   */
  ownersById?(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** Returns the condition "owned by this subject", in the type of your own data access. */
  ownedBy?(subject: string): Where
}

/** Ownership by resource: the part of a permission's name before the colon. */
export type Ownerships = { readonly [resource: string]: Ownership<never, unknown> }

/** The resource that a check of ownership for this permission needs; `never` when the policy has no `ownerOf`. */
export type OwnedResource<O extends Ownerships, Permission extends string> = [Permission] extends [
  `${infer Resource extends keyof O & string}:${string}`,
]
  ? O[Resource] extends { ownerOf(resource: infer Owned): unknown }
    ? Owned
    : never
  : never

/** The result of `ownedBy` of this permission's resource; `never` if the policy has no `ownedBy` for it. */
export type OwnedWhere<O extends Ownerships, Permission extends string> = [Permission] extends [
  `${infer Resource extends keyof O & string}:${string}`,
]
  ? O[Resource] extends { ownedBy(subject: string): infer Where }
    ? Where
    : never
  : never

export function resourceOf(permission: string): string {
  return permission.slice(0, permission.indexOf(':'))
}

/** Ownership without the types of the resources, which the public methods have checked. */
export interface OwnerFinder {
  readonly resources: readonly string[]
  /** Whether the policy has this function for the resource. */
  has(resource: string, by: keyof Ownership<never, unknown>): boolean
  /** Returns the owner of a loaded resource, or `null`. Never throws. */
  ownerOf(resource: string, owned: unknown): string | null
  /** Returns the owners by id; throws what the policy's function throws. */
  ownersById(resource: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  ownedBy(resource: string, subject: string): unknown
}

export function createOwnerFinder(ownerships: Ownerships): OwnerFinder {
  const byResource = new Map(Object.entries(ownerships))
  return {
    resources: [...byResource.keys()],
    has: (resource, by) => typeof byResource.get(resource)?.[by] === 'function',
    ownerOf(resource, owned) {
      if (owned === null || owned === undefined) return null
      try {
        const owner: unknown = byResource.get(resource)?.ownerOf?.(owned as never)
        if (owner instanceof Promise) owner.catch(() => undefined)
        return typeof owner === 'string' ? owner : null
      } catch {
        return null
      }
    },
    async ownersById(resource, ids) {
      const owners: unknown = await byResource.get(resource)?.ownersById?.(ids)
      return owners instanceof Map ? owners : new Map()
    },
    ownedBy: (resource, subject) => byResource.get(resource)?.ownedBy?.(subject),
  }
}
