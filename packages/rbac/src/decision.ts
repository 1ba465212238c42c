/** Why somebody may or may not. */
export interface Decision {
  readonly allowed: boolean
  /**
   * `granted`: has the permission, and ownership was not asked. `owner`: owns it as well. `replaced`: ownership was
   * asked and another permission took its place. `no-identity`, `no-permission`, `not-owner`: refused for want of it.
   */
  readonly reason: 'granted' | 'owner' | 'replaced' | 'no-identity' | 'no-permission' | 'not-owner'
  /** The permissions that would change a refusal: the missing one, or any one of those that replace ownership. */
  readonly missing: readonly string[]
}

export function allow(reason: 'granted' | 'owner' | 'replaced'): Decision {
  return { allowed: true, reason, missing: [] }
}

export function refuse(reason: 'no-identity' | 'no-permission' | 'not-owner', missing: readonly string[]): Decision {
  return { allowed: false, reason, missing }
}
