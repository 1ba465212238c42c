import { addAll, addBit, emptyWords, type PermissionWords, type Vocabulary } from './permission-set.ts'
import type { RoleDefinition } from './policy-definition.ts'

type Roles = Readonly<Record<string, RoleDefinition<string, string>>>

/**
 * Gives the permissions of every role with all that it inherits.
 *
 * @throws TypeError naming the circle when a role inherits itself.
 */
export function resolveRoles(roles: Roles, vocabulary: Vocabulary): ReadonlyMap<string, PermissionWords> {
  const resolved = new Map<string, PermissionWords>()
  const definitions = new Map(Object.entries(roles))
  const resolve = (role: string, above: readonly string[]): PermissionWords => {
    const known = resolved.get(role)
    if (known) return known
    if (above.includes(role)) {
      const circle = [...above.slice(above.indexOf(role)), role].join(' → ')
      throw new TypeError(`the policy cannot be used: "roles": ${circle} inherit each other in a circle`)
    }
    const { permissions = [], inherits = [] } = definitions.get(role) ?? {}
    const words = emptyWords(vocabulary.names.length)
    for (const name of permissions) addBit(words, vocabulary.bitOf(name))
    for (const inherited of inherits) addAll(words, resolve(inherited, [...above, role]))
    resolved.set(role, words)
    return words
  }
  for (const role of definitions.keys()) resolve(role, [])
  return resolved
}
