import { RbacError } from './errors.ts'
import { hasBit, type PermissionTable, type PermissionWords } from './permission-set.ts'
import { type RoleDefinition, roleProblems } from './policy-definition.ts'
import { resolveRoles } from './resolve-roles.ts'
import { wildcardOf } from './wildcard.ts'

export type Roles = Readonly<Record<string, RoleDefinition<string, string>>>

/** The active roles, which may change while the process runs. */
export interface RoleTable {
  /** Changes with each change of the roles. */
  version(): number
  wordsOf(role: string): PermissionWords | undefined
  /** Returns all active roles: the roles of the code, replaced by the roles that were set since. */
  definitions(): Roles
  /** Returns the path of inheritance from a role to the one that grants a permission, or `null` when none does. */
  pathTo(role: string, permission: string): readonly string[] | null
  /** @throws RbacError `RBAC_ROLES_INVALID`: the roles are unchanged. */
  change(changed: Roles): void
  /** @throws RbacError `RBAC_ROLES_INVALID` if `change` would throw it. */
  check(changed: Roles): void
}

/** Bounds the cost of a store that was filled by mistake. */
const changedAtMost = 1_000

export function createRoleTable(written: Roles, permissionTable: PermissionTable): RoleTable {
  const resolve = (definitions: Roles) => ({ definitions, words: resolveRoles(definitions, permissionTable) })
  const merge = (changed: Roles) => {
    requireShape(changed)
    const merged = copyRoles({ ...written, ...changed })
    const problems = roleProblems({ permissions: permissionTable.names, roles: merged })
    if (problems.length > 0) throw refuse(problems)
    return asRefusal(() => resolve(merged))
  }
  let version = 0
  let current = resolve(copyRoles(written))
  return {
    version: () => version,
    wordsOf: (role) => current.words.get(role),
    definitions: () => current.definitions,
    pathTo(role, permission) {
      const bit = permissionTable.bitOf(permission)
      const held = current.words.get(role)
      return held && hasBit(held, bit) ? findPath(current, role, permission, bit) : null
    },
    change(changed) {
      current = merge(changed)
      version += 1
    },
    check: (changed) => void merge(changed),
  }
}

interface ResolvedRoles {
  readonly definitions: Roles
  readonly words: ReadonlyMap<string, PermissionWords>
}

function findPath(
  { definitions, words }: ResolvedRoles,
  role: string,
  permission: string,
  bit: number,
): readonly string[] {
  const path = [role]
  const names = [permission, wildcardOf(permission)]
  for (let at = definitions[role]; at && !at.permissions?.some((name) => names.includes(name)); ) {
    const next = at.inherits?.find((name) => hasBit(words.get(name) ?? new Uint32Array(), bit))
    if (next === undefined) break
    path.push(next)
    at = definitions[next]
  }
  return Object.freeze(path)
}

/** Circular inheritance is detected while roles are resolved. */
function asRefusal<Result>(resolve: () => Result): Result {
  try {
    return resolve()
  } catch (error) {
    throw refuse([error instanceof Error ? error.message.replace('the policy cannot be used: ', '') : String(error)])
  }
}

/** Stored data may be anything: its shape is checked before it is read. */
function requireShape(changed: unknown): void {
  if (!isObject(changed)) throw refuse(['"roles" must be an object'])
  const entries = Object.entries(changed)
  if (entries.length > changedAtMost) throw refuse([`"roles" has more than ${changedAtMost} roles`])
  const problems = entries.flatMap(([role, definition]) => shapeProblems(JSON.stringify(role), definition))
  if (problems.length > 0) throw refuse(problems)
}

function shapeProblems(role: string, definition: unknown): string[] {
  if (!isObject(definition)) return [`"roles": ${role} must be an object`]
  const unknown = Object.keys(definition).filter((name) => name !== 'inherits' && name !== 'permissions')
  const lists = [definition.inherits, definition.permissions]
  return [
    ...unknown.map((name) => `"roles": ${role}: ${JSON.stringify(name)} is no part of a role`),
    ...(lists.every(isListOfTexts) ? [] : [`"roles": ${role} must have lists of names`]),
  ]
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}

function isListOfTexts(value: unknown): boolean {
  return value === undefined || (Array.isArray(value) && value.every((name) => typeof name === 'string'))
}

function refuse(problems: readonly string[]): RbacError {
  return new RbacError(
    'RBAC_ROLES_INVALID',
    `these roles cannot be used, and those before stay: ${problems.join('; ')}`,
  )
}

/** A later change of the caller's object must not change the active roles. */
function copyRoles(roles: Roles): Roles {
  const copies = Object.entries(roles).map(([role, { inherits = [], permissions = [] }]) => {
    const copy = { inherits: Object.freeze([...inherits]), permissions: Object.freeze([...permissions]) }
    return [role, Object.freeze(copy)] as const
  })
  return Object.freeze(Object.assign(Object.create(null), Object.fromEntries(copies)))
}
