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
  const isInRoles = (name: string): boolean => /^(?:granted|out-of-scope)$/.test(policy.explain(identity, name).reason)
  return {
    kind,
    firstParty,
    has: (name) => scopes.includes(name),
    mayHave: (name) => isMachine || !policy.permissions.includes(name as never) || isInRoles(name),
  }
}

/** A third party that has shown no grant yet. Whose grant it will have is unknown. */
export function unknownHolder(kind: ScopeHolder['kind']): ScopeHolder {
  return { kind, firstParty: false, has: () => false, mayHave: () => true }
}
