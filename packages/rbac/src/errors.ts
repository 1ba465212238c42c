/**
 * What an `RbacError` says:
 *
 * - `ROLES_REFUSED`: roles that were given at run time name a permission or a role that does not exist, inherit each other
 *   in a circle, or are malformed. The roles before them stay in force.
 * - `ROLES_CONTENDED`: others changed the stored roles again and again meanwhile. Nothing was stored: try again.
 */
export type RbacErrorCode = 'ROLES_REFUSED' | 'ROLES_CONTENDED'

/**
 * Is thrown when roles cannot be changed at run time. The `code` is the contract; the message lists what is wrong.
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
