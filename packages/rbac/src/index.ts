export type { Decision } from './decision.ts'
export { definePolicy } from './define-policy.ts'
export { isRbacError, RbacError, type RbacErrorCode } from './errors.ts'
export type { Identity, IdentityInput } from './identity.ts'
export { type OpenRoles, openRoles } from './open-roles.ts'
export type { OwnedResource, OwnedWhere, Ownership, Ownerships } from './ownership.ts'
export type { PermissionSet } from './permission-set.ts'
export type {
  AnyPolicy,
  Filter,
  OwnershipArguments,
  PermissionOf,
  Policy,
  RoleOf,
  RuleOf,
} from './policy.ts'
export type { PermissionName, PolicyDefinition, RoleDefinition } from './policy-definition.ts'
export type { OwnerRule, Rule, RuleParts, StepUp } from './rule.ts'
