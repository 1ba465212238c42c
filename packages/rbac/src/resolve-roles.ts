import { addAll, addBit, emptyWords, type PermissionTable, type PermissionWords } from './permission-set.ts'
import type { RoleDefinition } from './policy-definition.ts'
import { wildcardOf } from './wildcard.ts'

type Roles = Readonly<Record<string, RoleDefinition<string, string>>>

/**
 * Returns the permissions of every role including what it inherits. Each role is resolved once, however many inherit
 * it.
 *
 * @throws TypeError naming the circle when a role inherits itself.
 */
export function resolveRoles(roles: Roles, permissionTable: PermissionTable): ReadonlyMap<string, PermissionWords> {
  const resolved = new Map<string, PermissionWords>()
  const definitions = new Map(Object.entries(roles))
  const granted = createGrants(permissionTable)
  /** The roles that are being resolved, the first one on top. */
  const above = new Set<string>()
  const resolve = (role: string): PermissionWords => {
    const known = resolved.get(role)
    if (known) return known
    if (above.has(role)) throw circleOf([...above], role)
    above.add(role)
    const { permissions = [], inherits = [] } = definitions.get(role) ?? {}
    const words = emptyWords(permissionTable.names.length)
    for (const name of permissions) addAll(words, granted(name))
    for (const inherited of inherits) addAll(words, resolve(inherited))
    above.delete(role)
    resolved.set(role, words)
    return words
  }
  for (const role of definitions.keys()) resolve(role)
  return resolved
}

/** Returns what a name in a role grants: one permission, or all of a wildcard. */
function createGrants(permissionTable: PermissionTable): (name: string) => PermissionWords {
  const granted = new Map<string, PermissionWords>()
  for (const name of permissionTable.names) {
    for (const given of [name, wildcardOf(name)]) {
      const words = granted.get(given) ?? emptyWords(permissionTable.names.length)
      addBit(words, permissionTable.bitOf(name))
      granted.set(given, words)
    }
  }
  const nothing = emptyWords(0)
  return (name) => granted.get(name) ?? nothing
}

function circleOf(above: readonly string[], role: string): TypeError {
  const circle = [...above.slice(above.indexOf(role)), role].join(' → ')
  return new TypeError(`the policy cannot be used: "roles": ${circle} inherit each other in a circle`)
}
