import type { Decision } from './decision.ts'
import type { Identity, IdentityInput } from './identity.ts'
import type { OwnedResource, OwnedWhere, Ownerships } from './ownership.ts'
import type { PermissionSet } from './permission-set.ts'
import type { PermissionName, RoleDefinition } from './policy-definition.ts'
import type { Rule, RuleParts } from './rule.ts'

/** The further arguments of `can` and `explain`: given a resource, even `null`, ownership is asked too. */
export type OwnershipArguments<O extends Ownerships, Asked extends string, Permission extends string> = [
  resource?: OwnedResource<O, Asked> | null,
  options?: { readonly unless?: Permission },
]

/** Which items of a list an identity may have. `where` is the condition that `ownedBy` of the policy returned. */
export type Filter<Where> =
  | { readonly scope: 'all' }
  | { readonly scope: 'none' }
  | { readonly scope: 'owned'; readonly subject: string; readonly where: Where }

/** Roles that the code does not know beforehand: their permissions are those of the policy. */
export type ChangedRoles<Permission extends string> = {
  readonly [role: string]: RoleDefinition<Permission, string>
}

/** Who may do what: compiled once, asked on every request. */
export interface Policy<Permission extends PermissionName, Role extends string, O extends Ownerships> {
  readonly permissions: readonly Permission[]
  /** The names of the roles in the code. */
  readonly roles: readonly Role[]
  readonly ownership: O

  /**
   * Makes an identity of a verified subject: the only way to one. `null` stays `null`. Call it with what a verifying
   * function answered, never with what a request says about itself.
   *
   * @throws TypeError when the subject is empty or the roles are no list.
   */
  identify(input: IdentityInput | null | undefined): Identity | null

  /**
   * Tells whether an identity has a permission and, when a resource is given, also owns it. A resource that is
   * `null` or `undefined` answers like somebody else's.
   *
   * @param options.unless the permission that replaces ownership; `ownership:bypass` always does.
   */
  can<Asked extends Permission>(
    identity: Identity | null,
    permission: Asked,
    ...ownership: OwnershipArguments<O, Asked, Permission>
  ): boolean

  /** The same decision as `can`, with its reason and the permissions that would change it. */
  explain<Asked extends Permission>(
    identity: Identity | null,
    permission: Asked,
    ...ownership: OwnershipArguments<O, Asked, Permission>
  ): Decision

  /**
   * The same rule as a condition for a list: all of them, none, or those that the subject owns.
   *
   * @throws TypeError when the policy has no `ownedBy` for the permission's resource.
   */
  filter<Asked extends Permission>(
    identity: Identity | null,
    permission: Asked,
    options?: { readonly unless?: Permission },
  ): Filter<OwnedWhere<O, Asked>>

  /**
   * Puts roles into force while the process runs: each is added, or takes the place of the one in the code that has its
   * name; what an earlier call gave and this one does not is gone. The effect is immediate, for identities that were
   * made before as well. `openRoles` does this from a store.
   *
   * @throws RbacError `ROLES_REFUSED` when they name unknown permissions or roles, or inherit in a circle. The roles
   *   before stay in force, all of them.
   */
  changeRoles(roles: ChangedRoles<Permission>): void
  /** @throws RbacError `ROLES_REFUSED` where `changeRoles` would; nothing changes in any case. */
  checkRoles(roles: ChangedRoles<Permission>): void
  /** Gives all roles that are in force, frozen. */
  currentRoles(): ChangedRoles<Permission>

  /**
   * Gives a rule its normal form.
   *
   * @throws TypeError that lists everything the policy does not know or that contradicts itself.
   */
  rule(input: 'public' | 'authenticated' | RuleParts<Permission, keyof O & string>): Rule

  /** @throws TypeError naming unknown permissions. */
  permissionSet(names: readonly Permission[]): PermissionSet
  /** Tells whether an identity has every permission of a set of this policy. */
  holds(identity: Identity | null, set: PermissionSet): boolean
  /** The owner of a resource in hand, or `null`; a function of the policy that misbehaves is answered with `null`. */
  ownerOf(resource: string, owned: unknown): string | null
  /** The owners of resources by id; throws what the policy's `ownersById` throws, so that no outage looks like a no. */
  ownersById(resource: string, ids: readonly string[]): Promise<ReadonlyMap<string, string>>
  /**
   * Gives the same policy that also knows the owners of further resources, for a library that brings some of its own.
   * What this policy says of a resource stays. Identities of one policy are identities of the other.
   *
   * @throws TypeError naming what is no ownership.
   */
  withOwnership<Added extends Ownerships>(ownership: Added): Policy<Permission, Role, Added & O>
}

/** Any policy, for code that takes one as an option. */
export interface AnyPolicy {
  readonly permissions: readonly PermissionName[]
  readonly roles: readonly string[]
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
  changeRoles(roles: ChangedRoles<string>): void
  checkRoles(roles: ChangedRoles<string>): void
  currentRoles(): ChangedRoles<string>
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
/** The resources that have ownership in a policy. */
export type ResourceNameOf<P extends AnyPolicy> = keyof P['ownership'] & string

/** A rule as one writes it for this policy: in `extensions.auth`, in a rule map, and for `authorize`. */
export type RuleOf<P extends AnyPolicy> = 'public' | 'authenticated' | RuleParts<PermissionOf<P>, ResourceNameOf<P>>
