import { readImpersonation } from '@latchkey/accounts/internal'
import type { AnyPolicy } from '@latchkey/rbac'
import { namedByPath } from '../named-by-path.ts'
import type { FlatOptions } from './flat-options.ts'

/** The permission to act as other accounts. */
const impersonate = 'accounts:impersonate'

/** Accounts with any of these permissions administer the service, so other accounts cannot act as them. */
const administrative = [impersonate, 'accounts:read', 'accounts:update', 'audit:read', 'ownership:bypass']

/** @throws TypeError that names what is unknown or missing. */
export function checkImpersonation({
  impersonation,
  policy,
  totp,
  passkeys,
}: Pick<FlatOptions, 'impersonation' | 'policy' | 'totp' | 'passkeys'>): void {
  if (impersonation === undefined) return
  namedByPath({ impersonation: 'accounts.impersonation' }, () => readImpersonation(impersonation))
  if (!policy.permissions.includes(impersonate)) {
    throw new TypeError(`"accounts.impersonation" needs the permission "${impersonate}" in "policy"`)
  }
  if (!totp && !passkeys) throw new TypeError('"accounts.impersonation" needs "signIn.totp" or "signIn.passkeys"')
}

interface Party {
  readonly id: string
  readonly roles: readonly string[]
}

/**
 * Returns whether the roles of an administrator allow acting as an account: the account has no permission that the
 * administrator lacks, and no administrative permission.
 */
export function mayImpersonate(policy: AnyPolicy, administrator: Party, account: Party): boolean {
  const [acting, owner] = [administrator, account].map(({ id, roles }) => policy.identify({ subject: id, roles }))
  const can = (identity: typeof acting, permission: string): boolean => policy.can(identity ?? null, permission)
  const held = policy.permissions.filter((permission) => can(owner, permission))
  return (
    can(acting, impersonate) &&
    held.every((permission) => can(acting, permission) && !administrative.includes(permission))
  )
}
