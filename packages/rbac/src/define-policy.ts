import { checkOptionNames } from '@latchkey/core/internal'
import { allow, type Decision, refuse } from './decision.ts'
import { createIdentityMaker, type Identity, type IdentityMaker } from './identity.ts'
import { normalizeRule } from './normalize-rule.ts'
import { createOwnerFinder, type Ownerships, resourceOf } from './ownership.ts'
import { createPermissionTable, hasBit, includesAll, type PermissionTable } from './permission-set.ts'
import type { Policy } from './policy.ts'
import { checkDefinition, checkOwnership, type PermissionName, type PolicyDefinition } from './policy-definition.ts'
import { createRoleTable, type RoleTable } from './role-table.ts'

interface Options {
  readonly unless?: string
}

/**
 * Compiles a policy. Permission names, role names and owned resources become types: a misspelt name does not compile,
 * and is refused at run time as well. Every check fails closed: an unknown role has no permissions, a copied identity
 * has none either, and a resource has no owner if its ownership function throws, or returns a promise or any value but
 * a text.
 *
 * @param definition `permissions`: all permissions. `roles`: the permissions of each role, and the roles that it
 * inherits. `ownership`: the functions that find the owner of a resource, by the part of the permission before the
 * colon. `scopes`: names for groups of permissions, for grants to third-party clients.
 * @throws TypeError for an unknown option, or listing unknown permissions and roles, malformed names and circular
 * inheritance.
 * @example
 * import { definePolicy } from '@latchkey/rbac'
 * const policy = definePolicy({
 *   permissions: ['articles:update', 'articles:publish', 'ownership:bypass'],
 *   roles: {
 *     AUTHOR: { permissions: ['articles:update'] },
 *     EDITOR: { inherits: ['AUTHOR'], permissions: ['articles:publish'] },
 *   },
 *   ownership: { articles: { ownerOf: (article: { authorId: string }) => article.authorId } },
 * })
 * const identity = policy.identify({ subject: 'acc_1', roles: ['AUTHOR'] })
 * policy.can(identity, 'articles:update', { authorId: 'acc_1' }) // true
 */
export function definePolicy<const Permission extends PermissionName, const Role extends string, O extends Ownerships>(
  definition: PolicyDefinition<Permission, Role, O>,
): Policy<Permission, Role, O> {
  checkOptionNames('definePolicy', definition, { permissions: true, roles: true, ownership: true, scopes: true })
  checkDefinition(definition)
  const permissionTable = createPermissionTable(definition.permissions)
  const roleTable = createRoleTable(definition.roles, permissionTable)
  const parts = {
    permissions: Object.freeze([...definition.permissions]),
    roles: Object.freeze(Object.keys(definition.roles)) as readonly Role[],
    scopes: Object.freeze(Object.keys(definition.scopes ?? {})),
    permissionTable,
    roleTable,
    identities: createIdentityMaker({ permissionTable, roleTable, scopeGroups: definition.scopes ?? {} }),
  }
  return compilePolicy(parts, (definition.ownership ?? {}) as O)
}

/**
 * The parts that policies share when they differ in their ownership only: identities of one are valid for the other.
 */
interface PolicyParts<Permission extends PermissionName, Role extends string> {
  readonly permissions: readonly Permission[]
  readonly roles: readonly Role[]
  readonly scopes: readonly string[]
  readonly permissionTable: PermissionTable
  readonly roleTable: RoleTable
  readonly identities: IdentityMaker
}

function compilePolicy<Permission extends PermissionName, Role extends string, O extends Ownerships>(
  parts: PolicyParts<Permission, Role>,
  ownership: O,
): Policy<Permission, Role, O> {
  const { permissions, roles, scopes, permissionTable, roleTable } = parts
  const { identify, wordsOf } = parts.identities
  const owners = createOwnerFinder(ownership)

  const has = (identity: Identity | null, permission: string): boolean => {
    const words = wordsOf(identity)
    return words !== null && hasBit(words, permissionTable.bitOf(permission))
  }
  const replacing = (identity: Identity | null, unless: string | undefined): string | undefined =>
    ['ownership:bypass', unless].find((name) => name !== undefined && has(identity, name))
  const isReplaced = (identity: Identity | null, unless: string | undefined): boolean =>
    has(identity, 'ownership:bypass') || (unless !== undefined && has(identity, unless))
  const owns = (identity: Identity | null, permission: string, owned: unknown): boolean =>
    identity?.kind === 'account' && owners.ownerOf(resourceOf(permission), owned) === identity.subject
  const through = (identity: Identity, permission: string): Decision['through'] =>
    [...new Set(identity.roles)].flatMap((role) => {
      const path = roleTable.pathTo(role, permission)
      return path === null ? [] : [path]
    })

  const decide = (identity: Identity | null, permission: string, asked: readonly [unknown?, Options?]): Decision => {
    if (identity === null || wordsOf(identity) === null) return refuse('no-identity', [permission])
    if (identity.mustEnroll) return refuse('must-enroll', [])
    const paths = through(identity, permission)
    if (!has(identity, permission)) {
      return refuse(paths.length > 0 ? 'out-of-scope' : 'no-permission', [permission], paths)
    }
    return asked.length === 0 ? allow('granted', permission, paths) : decideOwned(identity, permission, asked, paths)
  }
  const decideOwned = (
    identity: Identity,
    permission: string,
    [owned, { unless } = {}]: readonly [unknown?, Options?],
    paths: Decision['through'],
  ): Decision => {
    const replaced = replacing(identity, unless)
    if (replaced !== undefined) return allow('replaced', replaced, through(identity, replaced))
    if (owns(identity, permission, owned)) return allow('owner', permission, paths)
    const lifting = [unless, permissionTable.bitOf('ownership:bypass') < 0 ? undefined : 'ownership:bypass']
    const missing = lifting.filter((name) => name !== undefined)
    return refuse('not-owner', missing, paths)
  }

  return {
    permissions,
    roles,
    scopes,
    ownership,
    identify,
    can: (identity, permission, ...asked) =>
      has(identity, permission) &&
      (asked.length === 0 || isReplaced(identity, asked[1]?.unless) || owns(identity, permission, asked[0])),
    explain: (identity, permission, ...asked) => decide(identity, permission, asked),
    filter(identity, permission, { unless } = {}) {
      if (!owners.has(resourceOf(permission), 'ownedBy')) {
        throw new TypeError(`the ownership of "${resourceOf(permission)}" has no ownedBy, which a filter needs`)
      }
      if (!identity || !has(identity, permission)) return { scope: 'none' }
      if (isReplaced(identity, unless)) return { scope: 'all' }
      if (identity.kind !== 'account') return { scope: 'none' }
      const where = owners.ownedBy(resourceOf(permission), identity.subject)
      return { scope: 'owned', subject: identity.subject, where: where as never }
    },
    changeRoles: (changed) => roleTable.change(changed),
    checkRoles: (changed) => roleTable.check(changed),
    currentRoles: () => roleTable.definitions() as ReturnType<Policy<Permission, Role, O>['currentRoles']>,
    rule: (input) => normalizeRule(input, permissionTable, owners),
    permissionSet: (names) => permissionTable.setOf(names),
    holds(identity, set) {
      const words = wordsOf(identity)
      const asked = permissionTable.wordsOf(set)
      return words !== null && asked !== null && includesAll(words, asked)
    },
    ownerOf: (resource, owned) => owners.ownerOf(resource, owned),
    ownersById: (resource, ids) => owners.ownersById(resource, ids),
    withOwnership(added) {
      checkOwnership(added)
      return compilePolicy(parts, { ...added, ...ownership })
    },
  }
}
