export type { Decision } from './decision.ts'
export { definePolicy } from './define-policy.ts'
export type { Filter } from './filter.ts'
export type { Identity, IdentityInput } from './identity.ts'
export type { OwnedResource, OwnedWhere, Ownership, Ownerships } from './ownership.ts'
export type { PermissionSet } from './permission-set.ts'
export type {
  AnyPolicy,
  OwnershipArguments,
  PermissionOf,
  Policy,
  ResourceNameOf,
  RoleOf,
  RuleOf,
} from './policy.ts'
export type { PermissionName, PolicyDefinition, RoleDefinition } from './policy-definition.ts'
export type { OwnerParts, OwnerRule, Rule, RuleParts, StepUp } from './rule.ts'
