import type { PermissionSet } from './permission-set.ts'

/** The parts of a rule; all that are given must hold. */
export interface RuleParts<Permission extends string, Resource extends string> {
  /** `true`: everybody, also without an identity. Beside it only `credential` may stand. */
  readonly public?: true
  /** `true`: a signed-in account, not a client. */
  readonly authenticated?: true
  /** `true`: a machine client, not an account. */
  readonly client?: true
  /** `true`: not through a grant to a third party. */
  readonly firstParty?: true
  /** One permission, or sets of permissions: any one of the outer list, and of it all that stand in the inner list. */
  readonly permissions?: Permission | readonly [Permission] | readonly (readonly Permission[])[]
  readonly owner?: OwnerParts<Permission, Resource>
  readonly stepUp?: StepUp
  /** `true`: the field tests a secret, so it must be the only root field of its operation. Covers nothing by itself. */
  readonly credential?: true
}

export interface OwnerParts<Permission extends string, Resource extends string> {
  /** The resource whose owner is asked. May be left out where `unless` or the permissions name just one resource. */
  readonly of?: Resource
  /** Where the id stands in the arguments, for example `input.id`. Left out: the parent object is the resource. */
  readonly argument?: string
  /** The permission that replaces ownership. `ownership:bypass` always does. */
  readonly unless?: Permission
}

/** A second factor, shown recently. */
export interface StepUp {
  readonly maxAgeSeconds: number
  /** Ask only accounts that have a second factor; default false. */
  readonly ifEnrolled?: boolean
}

/** A rule in its normal form: `policy.rule` makes it. All parts must hold. */
export interface Rule {
  readonly public: boolean
  readonly account: boolean
  readonly client: boolean
  readonly firstParty: boolean
  /** Any one of these sets; `null`: no permission is asked. */
  readonly anyOf: readonly PermissionSet[] | null
  readonly owner: OwnerRule | null
  readonly stepUp: Required<StepUp> | null
  readonly credential: boolean
  /** The same rule has the same text, however it was written. */
  readonly text: string
}

export interface OwnerRule {
  readonly of: string
  /** `null`: the parent object is the resource. */
  readonly argument: readonly string[] | null
  /** The permissions each of which replaces ownership: `unless`, and `ownership:bypass` where the policy has it. */
  readonly lifted: readonly PermissionSet[]
}
