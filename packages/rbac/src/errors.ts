/**
 * The reason of an `RbacError`:
 *
 * - `ROLES_REFUSED`: roles that were set at run time name an unknown permission or role, inherit in a circle, or are
 *   malformed. The previous roles stay in force.
 * - `ROLES_CONTENDED`: other callers kept changing the stored roles. Nothing was stored: try again.
 */
export type RbacErrorCode = 'ROLES_REFUSED' | 'ROLES_CONTENDED'

/**
 * Thrown when roles cannot be changed at run time. The `code` is the contract; the message lists the problems.
 *
 * @example
 * import { definePolicy, RbacError } from '@latchkey/rbac'
 * const policy = definePolicy({ permissions: ['notes:read'], roles: {} })
 * try {
 *   policy.changeRoles(JSON.parse('{ "READER": { "permissions": ["notes:raed"] } }'))
 * } catch (error) {
 *   if (error instanceof RbacError) error.code // 'ROLES_REFUSED'
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
