import type { AnyPolicy, Identity } from '@latchkey/rbac'

/** Who requests an operation through a grant. */
export interface ScopeHolder {
  readonly kind: 'account' | 'client'
  readonly firstParty: boolean
  /** Whether the grant names a scope or permission, by itself or by a group. */
  has(name: string): boolean
  /** Whether a grant of this holder can ever contain a scope or permission. */
  mayHave(name: string): boolean
}

/** Returns the holder of an identity; `null`: no grant limits the identity. */
export function scopeHolderOf(policy: AnyPolicy, identity: Identity): ScopeHolder | null {
  const { kind, firstParty, scopes, roles } = identity
  if (scopes === null) return null
  const isMachine = kind === 'client' && roles.length === 0
  const held = new Set(scopes)
  const permissions = new Set<string>(isMachine ? [] : policy.permissions)
  const judged = new Map<string, boolean>()
  return {
    kind,
    firstParty,
    has: (name) => held.has(name),
    mayHave(name) {
      const isPossible = judged.get(name) ?? (!permissions.has(name) || isWithinRoles(policy, identity, name))
      judged.set(name, isPossible)
      return isPossible
    },
  }
}

function isWithinRoles(policy: AnyPolicy, identity: Identity, name: string): boolean {
  return /^(?:granted|out-of-scope)$/.test(policy.explain(identity, name).reason)
}

/** A third party that has shown no grant yet. Whose grant it will have is unknown. */
export function unknownHolder(kind: ScopeHolder['kind']): ScopeHolder {
  return { kind, firstParty: false, has: () => false, mayHave: () => true }
}
