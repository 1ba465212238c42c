/**
 * How the owner of one kind of resource is found. Give what is needed: `ownerOf` for a resource in hand,
 * `ownersById` for rules that know only an id, `ownedBy` for lists. The comparison with the subject is never yours.
 */
export interface Ownership<Resource, Where> {
  /**
   * The owner's subject, of one resource in hand. Synchronous: a promise, a throw or anything but a text means that
   * nobody owns it.
   */
  ownerOf?(resource: Resource): string | null | undefined
  /**
   * The owners of many resources at once: resource id → owner's subject, an id that does not exist left out. What it
   * throws is passed on: an outage is not an ordinary no.
   */
  ownersById?(ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /** The condition "owned by this subject", in the type of your own data access. */
  ownedBy?(subject: string): Where
}

/** Ownership by resource: the part of a permission's name before the colon. */
export type Ownerships = { readonly [resource: string]: Ownership<never, unknown> }

type ResourceOf<Permission extends string> = Permission extends `${infer Resource}:${string}` ? Resource : never

/** What has to be in hand when ownership is asked beside this permission; `never` where the policy cannot tell. */
export type OwnedResource<O extends Ownerships, Permission extends string> =
  ResourceOf<Permission> extends infer Resource extends keyof O
    ? O[Resource] extends { ownerOf(resource: infer Owned): unknown }
      ? Owned
      : never
    : never

/** What `ownedBy` of this permission's resource answers; `never` where the policy has none. */
export type OwnedWhere<O extends Ownerships, Permission extends string> =
  ResourceOf<Permission> extends infer Resource extends keyof O
    ? O[Resource] extends { ownedBy(subject: string): infer Where }
      ? Where
      : never
    : never

export function resourceOf(permission: string): string {
  return permission.slice(0, permission.indexOf(':'))
}

/** Ownership with the resources' types set aside: what is asked here came through the typed front. */
export interface OwnerFinder {
  readonly resources: readonly string[]
  /** Whether the policy gave this resource such a function. */
  has(resource: string, by: keyof Ownership<never, unknown>): boolean
  /** The owner of a resource in hand, or `null`. Never throws. */
  ownerOf(resource: string, owned: unknown): string | null
  /** The owners by id; throws what the policy's function throws. */
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
