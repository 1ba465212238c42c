import type { PermissionSet } from './permission-set.ts'

/** The parts of a rule; all of them must hold. */
export interface RuleParts<Permission extends string, Resource extends string> {
  /** `true`: no identity is required. Only `credential` may be combined with it. */
  readonly public?: true
  /** `true`: a signed-in account, not a client. */
  readonly authenticated?: true
  /** `true`: a machine client, not an account. */
  readonly client?: true
  /**
   * `true`: not for a grant to a third party. A client of the service itself satisfies it, unless the rule has
   * `credential` or `stepUp`.
   */
  readonly firstParty?: true
  /**
   * One permission, or sets of permissions: one set of the outer list is required, with all permissions of the inner
   * list.
   */
  readonly permissions?: Permission | readonly [Permission] | readonly (readonly Permission[])[]
  readonly owner?: {
    /** The resource whose owner is required. Optional when `unless` or the permissions name exactly one resource. */
    readonly of?: Resource
    /**
     * The path of the id in the arguments, for example `input.id`. Of a list every id must be owned, and at least one. When
     * omitted, the parent object is the resource.
     */
    readonly argument?: string
    /** The permission that replaces ownership. `ownership:bypass` always does. */
    readonly unless?: Permission
  }
  /**
   * The scope that a grant to a third party must name, in the form of `permissions`; the service's own sign-ins need no
   * scope. A scope that is a permission must also be a permission of the roles. A grant satisfies a rule only by a
   * permission that it names, or by this scope: `authenticated` and ownership alone are not enough.
   */
  readonly scope?: string | readonly [string] | readonly (readonly string[])[]
  readonly stepUp?: StepUp
  /**
   * `true`: also for an account that must set up a second factor before any other action (`mustEnroll` of its
   * identity). Every rule that reaches a field must have it. Not a rule without another part, and not with `public`,
   * `client` or `permissions`.
   */
  readonly beforeEnrollment?: true
  /**
   * `true`: with `firstParty`, also for an administrator who acts as the account (`impersonator` of its identity). A
   * rule with `credential` or `stepUp` always refuses the administrator. Not a rule without another part.
   */
  readonly impersonation?: true
  /**
   * `true`: the field verifies a secret, so it must be the only root field of its operation. Not a rule without another
   * part.
   */
  readonly credential?: true
  /**
   * `true`: for an identity that does not satisfy the rule, a field of `Query` is null instead of refused, and the
   * fields below it are not checked. Not a rule without another part, and not with `public`, `permissions`, `owner`,
   * `stepUp` or `credential`.
   */
  readonly orNull?: true
}

/** A recently proven factor. */
export interface StepUp {
  readonly maxAgeSeconds: number
  /**
   * An account that has no second factor proves its first one again; otherwise it is refused.
   * @default false
   */
  readonly ifEnrolled?: boolean
  /**
   * A recovery code answers it too: for the change by which an account replaces a factor that it has lost. Everywhere else
   * a recovery code is no proof.
   * @default false
   */
  readonly recoveryCode?: boolean
}

/** A rule in normal form, as `policy.rule` returns it. All parts must hold. */
export interface Rule {
  readonly public: boolean
  readonly account: boolean
  readonly client: boolean
  readonly firstParty: boolean
  /** One of these sets is required; `null`: no permission is required. */
  readonly anyOf: readonly PermissionSet[] | null
  readonly owner: OwnerRule | null
  /** A grant must name one of these sets; `null`: the rule names no scope. */
  readonly scope:
    | readonly {
        /** Sorted, without duplicates. */
        readonly names: readonly string[]
        /** The scopes that are permissions of the policy. */
        readonly permissions: PermissionSet
      }[]
    | null
  readonly stepUp: Required<StepUp> | null
  readonly beforeEnrollment: boolean
  readonly impersonation: boolean
  readonly credential: boolean
  readonly orNull: boolean
  /** Equal rules have the same text, however they were written. */
  readonly text: string
}

export interface OwnerRule {
  readonly of: string
  /** `null`: the parent object is the resource. */
  readonly argument: readonly string[] | null
  /** The permissions any of which replaces ownership: `unless`, and `ownership:bypass` when the policy has it. */
  readonly lifted: readonly PermissionSet[]
}
