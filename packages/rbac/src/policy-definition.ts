import type { Ownerships } from './ownership.ts'
import { quoteAll } from './permission-set.ts'
import { wildcardsOf } from './wildcard.ts'

/** `<resource>:<action>`, for example `articles:update`. The part before the colon names the resource. */
export type PermissionName = `${string}:${string}`

export interface RoleDefinition<Permission extends string, Role extends string> {
  /** Roles whose permissions this one has as well, including what they inherit. */
  readonly inherits?: readonly Role[]
  /** Permissions by name, or `articles:*` for all of one resource. `ownership:bypass` is granted by its name only. */
  readonly permissions?: readonly (
    | Permission
    | (Permission extends `${infer Resource}:${string}` ? Exclude<`${Resource}:*`, 'ownership:*'> : never)
  )[]
}

export interface PolicyDefinition<Permission extends PermissionName, Role extends string, O extends Ownerships> {
  /** All permissions. `ownership:bypass`, when it is one of them, replaces ownership in every rule. */
  readonly permissions: readonly Permission[]
  readonly roles: { readonly [role in Role]: RoleDefinition<NoInfer<Permission>, NoInfer<Role>> }
  readonly ownership?: O
  /**
   * Names for groups of permissions, which a grant to a third-party client may use as scopes like the names of
   * permissions. The consent page shows these names. A grant that names a group gives its permissions.
   */
  readonly scopes?: { readonly [scope: string]: readonly NoInfer<Permission>[] }
}

type AnyDefinition = {
  readonly permissions: readonly string[]
  readonly roles: Readonly<Record<string, RoleDefinition<string, string>>>
  readonly ownership?: Ownerships
  readonly scopes?: Readonly<Record<string, readonly string[]>>
}

const permissionPattern = /^[A-Za-z][\w.-]*:[\w.-]+$/
const rolePattern = /^[A-Za-z][\w.:-]*$/
const functions: readonly string[] = ['ownerOf', 'ownersById', 'ownedBy']

/** @throws TypeError listing all problems of a definition. */
export function checkDefinition(definition: AnyDefinition): void {
  const problems = [
    ...permissionProblems(definition),
    ...roleProblems(definition),
    ...scopeProblems(definition),
    ...ownershipProblems(definition),
  ]
  if (problems.length > 0) throw new TypeError(`the policy cannot be used: ${problems.join('; ')}`)
}

/** @throws TypeError listing all problems of ownerships. */
export function checkOwnership(ownership: Ownerships): void {
  const problems = ownershipProblems({ ownership })
  if (problems.length > 0) throw new TypeError(`the policy cannot be used: ${problems.join('; ')}`)
}

function permissionProblems({ permissions }: AnyDefinition): string[] {
  if (!Array.isArray(permissions)) return ['"permissions" must be a list']
  const malformed = permissions.filter((name) => typeof name !== 'string' || !permissionPattern.test(name))
  const seen = new Set<string>()
  const repeated = permissions.filter((name) => seen.size === seen.add(name).size)
  return [
    ...(malformed.length > 0 ? [`"permissions": ${quoteAll(malformed)} is not of the form resource:action`] : []),
    ...(repeated.length > 0 ? [`"permissions": ${quoteAll(repeated)} stands twice`] : []),
  ]
}

/** Returns the problems of the names in roles. */
export function roleProblems({ permissions, roles }: Pick<AnyDefinition, 'permissions' | 'roles'>): string[] {
  if (typeof roles !== 'object' || roles === null) return ['"roles" must be an object']
  const known = Array.isArray(permissions) ? new Set([...permissions, ...wildcardsOf(permissions)]) : new Set()
  const names = new Set(Object.keys(roles))
  return Object.entries(roles).flatMap(([role, definition]) => {
    const shape = shapeProblems(role, definition)
    if (shape.length > 0) return shape
    const { inherits = [], permissions: granted = [] } = definition
    const strangers = inherits.filter((name) => !names.has(name))
    const unknown = granted.filter((name) => !known.has(name))
    return [
      ...(rolePattern.test(role) ? [] : [`"roles": "${role}" is not a name (letters, digits, _ . : -)`]),
      ...(strangers.length > 0 ? [`"roles": ${role} inherits the unknown role ${quoteAll(strangers)}`] : []),
      ...(unknown.length > 0 ? [`"roles": ${role} has the unknown permission ${quoteAll(unknown)}`] : []),
    ]
  })
}

function shapeProblems(role: string, definition: unknown): string[] {
  const whole = `"roles": ${role} must be { inherits, permissions }`
  if (typeof definition !== 'object' || definition === null || Array.isArray(definition)) return [whole]
  return Object.entries(definition).flatMap(([name, value]) => {
    if (name !== 'inherits' && name !== 'permissions') return [`${whole}, and has "${name}"`]
    return value === undefined || Array.isArray(value) ? [] : [`"roles": "${name}" of ${role} must be a list`]
  })
}

/** RFC 6749 §3.3, without the colon, which permissions have. */
const scopePattern = /^[\x21\x23-\x39\x3b-\x5b\x5d-\x7e]+$/
/** They have a meaning of their own (OpenID Connect Core §5.4, §11): no permission comes with them. */
const takenScopes: readonly string[] = [
  'openid',
  'profile',
  'email',
  'address',
  'phone',
  'offline_access',
  'online_access',
]

function scopeProblems({ permissions, scopes = {} }: Pick<AnyDefinition, 'permissions' | 'scopes'>): string[] {
  if (typeof scopes !== 'object' || scopes === null) return ['"scopes" must be an object']
  return Object.entries(scopes).flatMap(([scope, names]) => {
    if (!Array.isArray(names) || names.length === 0) return [`"scopes": ${scope} must be a list of permissions`]
    const unknown = names.filter((name) => !permissions.includes(name))
    return [
      ...(scopePattern.test(scope) ? [] : [`"scopes": "${scope}" cannot be a scope, or is the name of a permission`]),
      ...(takenScopes.includes(scope) ? [`"scopes": "${scope}" has a meaning of its own`] : []),
      ...(unknown.length > 0 ? [`"scopes": ${scope} has the unknown permission ${quoteAll(unknown)}`] : []),
    ]
  })
}

function ownershipProblems({ ownership = {} }: Pick<AnyDefinition, 'ownership'>): string[] {
  return Object.entries(ownership).flatMap(([resource, given]) => {
    const names = typeof given === 'object' && given !== null ? Object.entries(given) : []
    const strange = names.filter(([name, value]) => !functions.includes(name) || typeof value !== 'function')
    if (names.length === 0) return [`"ownership": ${resource} has no function`]
    return strange.map(
      ([name]) => `"ownership": ${resource}.${name} is not one of the functions ${functions.join(', ')}`,
    )
  })
}
