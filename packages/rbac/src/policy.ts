import type { Decision } from './decision.ts'
import type { Identity, IdentityInput } from './identity.ts'
import type { OwnedResource, OwnedWhere, Ownerships } from './ownership.ts'
import type { PermissionSet } from './permission-set.ts'
import type { PermissionName, RoleDefinition } from './policy-definition.ts'
import type { Rule, RuleParts } from './rule.ts'

/** The further arguments of `can` and `explain`: with a resource, even `null`, ownership is checked too. */
export type OwnershipArguments<O extends Ownerships, Asked extends string, Permission extends string> = [
  resource?: OwnedResource<O, Asked> | null,
  options?: { readonly unless?: Permission },
]

/** Which items of a list an identity may have. `where` is the condition that `ownedBy` of the policy returned. */
export type Filter<Where> =
  | { readonly scope: 'all' }
  | { readonly scope: 'none' }
  | { readonly scope: 'owned'; readonly subject: string; readonly where: Where }

/** The compiled policy, which decides every access. */
export interface Policy<Permission extends PermissionName, Role extends string, O extends Ownerships> {
  readonly permissions: readonly Permission[]
  /** The names of the roles in the code. */
  readonly roles: readonly Role[]
  /** The names of groups of permissions, which grants may use as scopes. */
  readonly scopes: readonly string[]
  readonly ownership: O

  /**
   * Creates an identity from a verified subject; there is no other way to create one. Returns `null` for `null`. Call
   * it with the result of a verifying function, never with data of a request.
   *
   * @throws TypeError when the subject is empty or the roles are not a list.
   */
  identify(input: IdentityInput | null | undefined): Identity | null

  /**
   * Returns whether an identity has a permission and, with a resource, also owns it. A resource that is `null` or
   * `undefined` belongs to another subject.
   *
   * @param options.unless the permission that replaces ownership; `ownership:bypass` always does.
   */
  can<Asked extends Permission>(
    identity: Identity | null,
    permission: Asked,
    ...ownership: OwnershipArguments<O, Asked, Permission>
  ): boolean

  /** Returns the decision of `can` with its reason and the permissions that would change it. */
  explain<Asked extends Permission>(
    identity: Identity | null,
    permission: Asked,
    ...ownership: OwnershipArguments<O, Asked, Permission>
  ): Decision

  /**
   * Returns the same rule as a condition for a list: all items, no items, or the items that the subject owns.
   *
   * @throws TypeError if the policy has no `ownedBy` for the permission's resource.
   */
  filter<Asked extends Permission>(
    identity: Identity | null,
    permission: Asked,
    options?: { readonly unless?: Permission },
  ): Filter<OwnedWhere<O, Asked>>

  /**
   * Changes roles while the process runs: each role is added, or replaces the role of the same name in the code; roles
   * of an earlier call that this call does not name are removed. The effect is immediate, for existing identities as
   * well. `openRoles` does this from a store.
   *
   * @throws RbacError `RBAC_ROLES_INVALID` if they name unknown permissions or roles, or inherit in a circle. All
   * previous roles then stay active.
   */
  changeRoles(roles: Readonly<Record<string, RoleDefinition<Permission, string>>>): void
  /** Checks roles for `changeRoles` without a change. @throws RbacError `RBAC_ROLES_INVALID` */
  checkRoles(roles: Readonly<Record<string, RoleDefinition<Permission, string>>>): void
  /** Returns all active roles, frozen. */
  currentRoles(): Readonly<Record<string, RoleDefinition<Permission, string>>>

  /**
   * Returns the normal form of a rule.
   *
   * @throws TypeError listing everything that is unknown or contradictory.
   */
  rule(input: 'public' | 'authenticated' | RuleParts<Permission, keyof O & string>): Rule

  /** @throws TypeError naming unknown permissions. */
  permissionSet(names: readonly Permission[]): PermissionSet
  /** Returns whether an identity has every permission of a set of this policy. */
  holds(identity: Identity | null, set: PermissionSet): boolean
  /** Returns the owner of a loaded resource, or `null`, also when the policy's function throws or returns no text. */
  ownerOf(resource: string, owned: unknown): string | null
  /**
   * Returns the owners of resources by id. Throws what the policy's `ownersById` throws, so that an outage is not a
   * refusal.
   */
  ownersById(resource: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Returns a policy with the ownership of further resources, for a library with its own resources. The ownership of
   * this policy takes precedence. Identities of either policy are valid for both.
   *
   * @throws TypeError naming an ownership that is not valid.
   */
  withOwnership<Added extends Ownerships>(ownership: Added): Policy<Permission, Role, Added & O>
}

/** Any policy, for code that takes one as an option. */
export interface AnyPolicy {
  readonly permissions: readonly PermissionName[]
  readonly roles: readonly string[]
  readonly scopes: readonly string[]
  readonly ownership: Ownerships
  identify(input: IdentityInput | null | undefined): Identity | null
  can(
    identity: Identity | null,
    permission: string,
    resource?: unknown,
    options?: { readonly unless?: string },
  ): boolean
  explain(
    identity: Identity | null,
    permission: string,
    resource?: unknown,
    options?: { readonly unless?: string },
  ): Decision
  filter(identity: Identity | null, permission: string, options?: { readonly unless?: string }): Filter<unknown>
  changeRoles(roles: Readonly<Record<string, RoleDefinition<string, string>>>): void
  checkRoles(roles: Readonly<Record<string, RoleDefinition<string, string>>>): void
  currentRoles(): Readonly<Record<string, RoleDefinition<string, string>>>
  rule(input: 'public' | 'authenticated' | RuleParts<string, string>): Rule
  permissionSet(names: readonly string[]): PermissionSet
  holds(identity: Identity | null, set: PermissionSet): boolean
  ownerOf(resource: string, owned: unknown): string | null
  ownersById(resource: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  withOwnership(ownership: Ownerships): AnyPolicy
}

/** The permissions of a policy. */
export type PermissionOf<P extends AnyPolicy> = P['permissions'][number]
/** The roles of a policy. */
export type RoleOf<P extends AnyPolicy> = P['roles'][number]
/** A rule of this policy, as written in `extensions.auth`, in a rule map, and for `authorize`. */
export type RuleOf<P extends AnyPolicy> =
  | 'public'
  | 'authenticated'
  | RuleParts<PermissionOf<P>, keyof P['ownership'] & string>
