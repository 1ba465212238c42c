/**
 * The reason of an `RbacError`:
 *
 * - `RBAC_ROLES_INVALID`: roles that were set at run time name an unknown permission or role, inherit in a circle, or are
 *   malformed. The previous roles stay active.
 * - `RBAC_ROLES_UNAVAILABLE`: other callers kept changing the stored roles. No role was stored: try again.
 */
export type RbacErrorCode = 'RBAC_ROLES_INVALID' | 'RBAC_ROLES_UNAVAILABLE'

/**
 * Thrown when roles cannot be changed at run time. The `code` is the contract; the message lists the problems.
 *
 * @example
 * import { definePolicy, isRbacError } from '@latchkey/rbac'
 * const policy = definePolicy({ permissions: ['notes:read'], roles: {} })
 * try {
 *   policy.changeRoles(JSON.parse('{ "READER": { "permissions": ["notes:raed"] } }'))
 * } catch (error) {
 *   if (isRbacError(error)) error.code // 'RBAC_ROLES_INVALID'
 * }
 */
export class RbacError extends Error {
  override readonly name = 'RbacError'
  readonly code: RbacErrorCode

  constructor(code: RbacErrorCode, message: string) {
    super(message)
    this.code = code
  }
}

/**
 * Returns whether an error is an `RbacError`, judged by its name and code: also one of another copy of this package, in
 * which the policy was defined.
 *
 * @example
 * import { isRbacError } from '@latchkey/rbac'
 * const isRefused = (error: unknown) => isRbacError(error) && error.code === 'RBAC_ROLES_INVALID'
 */
export function isRbacError(error: unknown): error is RbacError {
  return error instanceof Error && error.name === 'RbacError' && /^RBAC_[A-Z_]+$/.test((error as RbacError).code)
}
