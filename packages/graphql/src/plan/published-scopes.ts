import type { AnyPolicy } from '@latchkey/rbac'

/** The scopes that clients may request. */
export interface PublishedScopes {
  /** In the order of `scopes_supported`. */
  readonly names: readonly string[]
  /** Returns the position of the published scope that grants a scope or permission; `null`: none does. */
  positionOf(name: string): number | null
  /** Returns all published scopes that grant a name: bit n is the scope at position n. */
  grantedBy(name: string): bigint
}

/**
 * Returns the published scopes of a policy. A permission is granted by the scope of the same name, or by the smallest
 * published group that has it; of groups of equal size by the first.
 */
export function createPublishedScopes(policy: AnyPolicy, names: readonly string[]): PublishedScopes {
  const positions = new Map<string, number>()
  const groups = names
    .map((name, position) => ({ position, permissions: policy.scopes.includes(name) ? membersOf(policy, name) : [] }))
    .sort((one, other) => one.permissions.length - other.permissions.length)
  for (const { position, permissions } of groups) {
    for (const permission of permissions) if (!positions.has(permission)) positions.set(permission, position)
  }
  for (const [position, name] of names.entries()) positions.set(name, position)
  const granting = new Map<string, bigint>()
  for (const { position, permissions } of groups) {
    const own = names[position]
    for (const name of own === undefined ? permissions : [own, ...permissions]) {
      granting.set(name, (granting.get(name) ?? 0n) | (1n << BigInt(position)))
    }
  }
  return { names, positionOf: (name) => positions.get(name) ?? null, grantedBy: (name) => granting.get(name) ?? 0n }
}

/** A machine has the permissions of its grant. */
function membersOf(policy: AnyPolicy, group: string): readonly string[] {
  const granted = policy.identify({ subject: 'published', kind: 'client', roles: [], scopes: [group] })
  return granted?.scopes?.filter((name) => name !== group) ?? []
}
