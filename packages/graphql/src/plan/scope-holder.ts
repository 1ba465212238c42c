import type { AnyPolicy, Identity } from '@latchkey/rbac'

/** The account or client that requests an operation through a grant. */
export interface ScopeHolder {
  readonly kind: 'account' | 'client'
  readonly firstParty: boolean
  /** Whether the grant has a scope or permission, directly or through a group. */
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

/**
 * Returns the holders whose grant may open an operation for an identity. Without an identity: an account, then a
 * machine.
 */
export function holdersFor(policy: AnyPolicy, identity: Identity | null): readonly ScopeHolder[] {
  if (!identity) return [unknownHolder('account'), unknownHolder('client')]
  const holder = scopeHolderOf(policy, identity)
  return holder ? [holder] : []
}

/** Returns the first result that is not `null`. */
export function firstFound<Found>(
  holders: readonly ScopeHolder[],
  find: (holder: ScopeHolder) => Found | null,
): Found | null {
  for (const holder of holders) {
    const found = find(holder)
    if (found !== null) return found
  }
  return null
}

/** A third party without a grant. The roles of the account that will grant access are unknown. */
export function unknownHolder(kind: ScopeHolder['kind']): ScopeHolder {
  return { kind, firstParty: false, has: () => false, mayHave: () => true }
}
