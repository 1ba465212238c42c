/** Why somebody may or may not. */
export interface Decision {
  readonly allowed: boolean
  /**
   * `granted`: has the permission, and ownership was not asked. `owner`: owns it as well. `replaced`: ownership was
   * asked and another permission took its place. Refused: `no-identity`; `no-permission`; `out-of-scope`, a role has the
   * permission and the grant does not; `not-owner`.
   */
  readonly reason: 'granted' | 'owner' | 'replaced' | 'no-identity' | 'no-permission' | 'out-of-scope' | 'not-owner'
  /** The permissions that would change a refusal: the missing one, or any one of those that replace ownership. */
  readonly missing: readonly string[]
  /** The permission that let somebody in: the one that was asked for, or the one that replaced ownership. Else `null`. */
  readonly by: string | null
  /**
   * How that permission is had, and for a refusal the one that was asked for: for each role that gives it the way of
   * inheritance, `['EDITOR', 'AUTHOR']`. Empty where no role gives it, as where a client's grant alone does.
   */
  readonly through: readonly (readonly string[])[]
}

type Allowed = 'granted' | 'owner' | 'replaced'

export function allow(reason: Allowed, by: string, through: Decision['through']): Decision {
  return { allowed: true, reason, missing: [], by, through }
}

export function refuse(
  reason: Exclude<Decision['reason'], Allowed>,
  missing: readonly string[],
  through: Decision['through'] = [],
): Decision {
  return { allowed: false, reason, missing, by: null, through }
}
