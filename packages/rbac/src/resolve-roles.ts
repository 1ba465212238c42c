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
  const grant = createGrants(permissionTable)
  /** The roles that are being resolved, the outermost role first. */
  const above = new Set<string>()
  const resolve = (role: string): PermissionWords => {
    const known = resolved.get(role)
    if (known) return known
    if (above.has(role)) throw circleOf([...above], role)
    above.add(role)
    const { permissions = [], inherits = [] } = definitions.get(role) ?? {}
    const words = emptyWords(permissionTable.names.length)
    for (const name of permissions) grant(words, name)
    for (const inherited of inherits) addAll(words, resolve(inherited))
    above.delete(role)
    resolved.set(role, words)
    return words
  }
  for (const role of definitions.keys()) resolve(role)
  return resolved
}

/**
 * Returns a function that adds what a name in a role grants: one permission, or all of a wildcard. A wildcard is a list of
 * bits, not a set of all of them, so that a policy takes memory in proportion to its permissions.
 */
function createGrants({ names, bitOf }: PermissionTable): (words: PermissionWords, name: string) => void {
  const wildcards = new Map<string, number[]>()
  for (const [bit, name] of names.entries()) {
    const wildcard = wildcardOf(name)
    const bits = wildcards.get(wildcard)
    if (bits) bits.push(bit)
    else wildcards.set(wildcard, [bit])
  }
  return (words, name) => {
    addBit(words, bitOf(name))
    for (const bit of wildcards.get(name) ?? []) addBit(words, bit)
  }
}

function circleOf(above: readonly string[], role: string): TypeError {
  const circle = [...above.slice(above.indexOf(role)), role].join(' → ')
  return new TypeError(`the policy cannot be used: "roles": ${circle} inherit each other in a circle`)
}
