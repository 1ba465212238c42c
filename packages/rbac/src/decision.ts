/** A decision with its reason. */
export interface Decision {
  readonly allowed: boolean
  /**
   * Allowed: `granted`, has the permission, and ownership was not checked; `owner`, owns the resource as well;
   * `replaced`, another permission replaced ownership. Refused: `no-identity`; `no-permission`; `out-of-scope`, a role
   * has the permission and the grant does not; `not-owner`; `must-enroll`, the account has to set up a second factor first.
   */
  readonly reason:
    | 'granted'
    | 'owner'
    | 'replaced'
    | 'no-identity'
    | 'no-permission'
    | 'out-of-scope'
    | 'not-owner'
    | 'must-enroll'
  /** The permissions any of which would change a refusal: the missing one, or those that replace ownership. */
  readonly missing: readonly string[]
  /** The permission that allowed it: the requested one, or the one that replaced ownership. `null` for a refusal. */
  readonly by: string | null
  /**
   * The sources of that permission, or of the requested permission after a refusal: for each role that has it the path
   * of inheritance, `['EDITOR', 'AUTHOR']`. Empty if no role has it, for example if a client has it by its grant alone.
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
