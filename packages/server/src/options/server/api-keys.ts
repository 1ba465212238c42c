import { readApiKeyLimits } from '@latchkey/accounts/internal'
import { checkOptionNames } from '@latchkey/core/internal'
import type { AnyPolicy } from '@latchkey/rbac'
import { namedByPath } from '../named-by-path.ts'
import type { FlatOptions } from './flat-options.ts'

/** @throws TypeError that names what is unknown or not valid. */
export function checkApiKeys({ apiKeys }: Pick<FlatOptions, 'apiKeys'>): void {
  if (apiKeys === undefined) return
  const names = { prefix: true, scopes: true, maxDays: true, requestsPerMinute: true } as const
  const { scopes, ...limits } = checkOptionNames('createServer', apiKeys, names, 'accounts.apiKeys')
  namedByPath({ apiKeys: 'accounts.apiKeys' }, () => readApiKeyLimits(limits))
  if (Array.isArray(scopes) && scopes.length > 0 && scopes.every(isScope)) return
  throw new TypeError('"accounts.apiKeys.scopes" must be a list of scopes that is not empty')
}

/** RFC 6749 §3.3. */
function isScope(scope: unknown): boolean {
  return typeof scope === 'string' && /^[\x21\x23-\x5b\x5d-\x7e]+$/.test(scope)
}

interface Owner {
  readonly id: string
  readonly roles: readonly string[]
}

/**
 * Returns whether a key of the account may have a scope: the scope is offered, and the account's roles grant all of its
 * permissions.
 */
export function mayGrantToKey(policy: AnyPolicy, offered: readonly string[], owner: Owner, scope: string): boolean {
  if (!offered.includes(scope)) return false
  const { id: subject, roles } = owner
  const granted = policy.identify({ subject, roles, scopes: [scope], firstParty: false })
  const named = policy.permissions.filter((name) => granted?.scopes?.includes(name))
  return granted !== null && named.every((permission) => policy.can(granted, permission))
}
