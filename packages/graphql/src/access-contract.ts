import type { HttpRequest } from '@latchkey/http'
import type {
  AnyPolicy,
  Decision,
  Filter,
  Identity,
  OwnedWhere,
  OwnershipArguments,
  PermissionOf,
  Rule,
  RuleOf,
} from '@latchkey/rbac'
import type { ExecutionArgs, GraphQLError, GraphQLSchema } from 'graphql'

/** A schema in which every field has a rule. */
export interface Access<P extends AnyPolicy = AnyPolicy> {
  readonly schema: GraphQLSchema
  readonly policy: P
  readonly ownership: 'reject' | 'partial'
  /** The rows of `reportAccess`: every field of every object type, sorted, with all rules that reach it. */
  readonly fields: readonly {
    /** `Type.field` */
    readonly coordinate: string
    /** Every rule that reaches the field; empty: public. */
    readonly rules: readonly Rule[]
    /** The rules of the field without the rules of the returned type. */
    readonly own: readonly Rule[]
    /** The rules of the type that the field returns. */
    readonly returned: readonly Rule[]
    readonly isCredential: boolean
  }[]
  /** The codes of the option `errors`, sorted; `built in` is the status of a code that is not the application's. */
  readonly errors: ReadonlyMap<string, { readonly status: number | 'built in'; readonly expose: readonly string[] }>
  /** The resolved option `limits`. */
  readonly limits: { readonly pageSize: number }
  /** The rules of introspection; empty: public. */
  readonly introspection: readonly Rule[]
  /**
   * Decides an operation before it executes. The `args` of the verdict execute only unchanged, with the context inside
   * them. A refusal is described by `errors`, and by `response` for graphql-http.
   *
   * @returns a promise only if owners have to be loaded or a challenge is made, as `execute` of `graphql` does for
   * resolvers. So await the result. It rejects with the error of the policy's `ownersById` or of `stepUp`.
   */
  readonly prepare: (
    params: {
      readonly query: string
      /** Empty and `null` count as absent. */
      readonly operationName?: string | null | undefined
      readonly variables?: Readonly<Record<string, unknown>> | null | undefined
    },
    input: PrepareInput<P>,
  ) => Promise<OperationVerdict> | OperationVerdict
  /**
   * Decides a rule outside of operations, for example for a form of a page, as a field with this rule is decided.
   *
   * @param resource the resource that must be owned, for a rule with an `owner`.
   * @returns the identity, if it satisfies the rule.
   * @throws AccessError `UNAUTHENTICATED`, `FORBIDDEN` or `STEP_UP_REQUIRED`.
   * @throws TypeError if the rule is not valid for this policy, if it names an owner by an argument, or if the identity
   * comes from another policy.
   */
  authorize(identity: Identity | null, rule: Exclude<RuleOf<P>, 'public'>, resource?: unknown): Identity
  /**
   * The copy of the schema that executes only operations that `prepare` allowed, for a server that needs a schema
   * before the first request. Without a plan its root fields throw, so a server that forgets `prepare` serves no data.
   * `execute` of `graphql` 17 refuses introspection in the same way; version 16 and other executors do not.
   */
  readonly sealed: GraphQLSchema
}

/** The identity of a request, and further facts of the request. */
export interface PrepareInput<P extends AnyPolicy> {
  readonly identity: Identity | null
  /** Mutations and credential fields are refused over `GET`. @default 'POST' */
  readonly method?: 'GET' | 'POST'
  /** The credential that identified the request. With a cookie, mutations need `csrf`. */
  readonly credential?: 'bearer' | 'cookie' | null
  /** The origin check failed: credential fields are refused. */
  readonly forged?: boolean
  /** Whether the request has several operations: credential fields are refused. */
  readonly batched?: boolean
  /** Returns whether the request has a valid CSRF token of its session. Omitted: the surrounding server checks it. */
  readonly csrf?: () => boolean
  /** Receives the headers of `context.response`. Omitted: its methods throw. */
  readonly response?: AuthContext<P>['response']
  /** Aborts the execution with `graphql` 17. Resolvers have it in their context. Omitted: never aborted. */
  readonly signal?: AbortSignal | undefined
  /** Returns further members of the resolvers' context. */
  readonly extend?: (base: AuthContext<P>) => object
  /**
   * Makes the `challenge` in the extensions of `STEP_UP_REQUIRED`. `prepare` rejects with its errors. Omitted: the
   * challenge is the error code of RFC 9470.
   */
  readonly stepUp?: ((identity: Identity, need: Parameters<StepUpHook>[1]) => Promise<StepUpChallenge>) | undefined
  /**
   * The scopes that clients may request, in the order of `scopes_supported`. `UNAUTHENTICATED` and refusals of too
   * narrow grants list in `extensions.scopes` the scopes that the operation needs. Omitted: no scope is named.
   */
  readonly publishedScopes?: readonly string[] | undefined
  /** The request's `Accept` header, for `response`. @default 'application/graphql-response+json' */
  readonly accept?: string | null
}

/**
 * `args` executes only unchanged. Each of the `errors` has `extensions.code`. `exceeded` lists the limits that the
 * document exceeds; with `limits: { report: true }` an allowed operation can have some too.
 */
export type OperationVerdict = {
  readonly exceeded: readonly {
    readonly code: 'QUERY_LIMIT_EXCEEDED' | 'BAD_USER_INPUT'
    readonly limit:
      | 'tokens'
      | 'comments'
      | 'operations'
      | 'depth'
      | 'aliases'
      | 'queryRootFields'
      | 'mutationRootFields'
      | 'directives'
      | 'directivesPerLocation'
      | 'expandedSelections'
      | 'cost'
      | 'pageSize'
    /** The count in the document; `null` if counting stopped at the limit. */
    readonly value: number | null
    readonly allowed: number
    /** Chosen by the client. */
    readonly operationName: string | null
    /** `null` if the operation was refused before its cost was computed. */
    readonly cost: number | null
    /** `false` if the limit is only reported. */
    readonly refused: boolean
  }[]
} & (
  | {
      readonly ok: true
      /** The arguments of `execute`, with a context of the type that graphql-http expects. */
      readonly args: ExecutionArgs & { readonly contextValue: Record<PropertyKey, unknown> }
      /** Facts about the operation that a server needs to respond. */
      readonly plan: {
        /** Whether the operation has a credential field, its only root field. */
        readonly credential: boolean
        /** Whether the operation reaches a field that is not public, or a resolver got an identity from `authorize`. */
        readonly requiresIdentity: boolean
        readonly operation: 'query' | 'mutation' | 'subscription'
        /** The effect of a refusal during execution: reject the whole answer, or set the field to null. */
        readonly ownership: 'reject' | 'partial'
      }
    }
  | {
      readonly ok: false
      readonly errors: readonly GraphQLError[]
      readonly plan: Extract<OperationVerdict, { readonly ok: true }>['plan'] | null
      /** A response in the format of graphql-http. */
      readonly response: readonly [
        body: string | null,
        init: {
          readonly status: number
          readonly statusText: string
          readonly headers?: { accept?: string; allow?: string; 'content-type'?: string } & Record<string, string>
        },
      ]
    }
)

/** The context of resolvers. The methods need no `this`, so they can be destructured. */
export type AuthContext<P extends AnyPolicy = AnyPolicy> = {
  /**
   * The identity of the request. It is `null` only in public fields. Below a credential field: the identity that signed
   * in there.
   */
  readonly identity: Identity | null

  /**
   * Checks a rule that the schema cannot express, or the rule of the field again, for an identity that is not `null`.
   * `'authenticated'` refuses the OAuth clients of third parties.
   *
   * @param resource the resource that must be owned, for a rule with an `owner`. A missing resource is refused like a
   * foreign one.
   * @returns the identity, if it satisfies the rule.
   * @throws AccessError `UNAUTHENTICATED`, `FORBIDDEN` or `STEP_UP_REQUIRED`.
   * @throws TypeError if the rule is not valid for this policy or names an owner by an argument.
   */
  authorize(rule: Exclude<RuleOf<P>, 'public'>, resource?: unknown): Identity

  /** Calls `policy.can` for the identity of this request. */
  can<Permission extends PermissionOf<P>>(
    permission: Permission,
    ...ownership: OwnershipArguments<P['ownership'], Permission, PermissionOf<P>>
  ): boolean

  /** Calls `policy.explain` for the identity of this request. */
  explain<Permission extends PermissionOf<P>>(
    permission: Permission,
    ...ownership: OwnershipArguments<P['ownership'], Permission, PermissionOf<P>>
  ): Decision

  /**
   * Returns the ids for which the identity has the permission, in the given order. All calls of a request are batched
   * into one call of `ownersById`, and fail with its error.
   */
  canEach<Permission extends PermissionOf<P>>(
    permission: Permission,
    ids: readonly string[],
    options?: { readonly unless?: PermissionOf<P> },
  ): Promise<string[]>

  /** Calls `policy.filter` for the identity of this request. */
  filter<Permission extends PermissionOf<P>>(
    permission: Permission,
    options?: { readonly unless?: PermissionOf<P> },
  ): Filter<OwnedWhere<P['ownership'], Permission>>

  /**
   * Aborted when the answer is no longer needed: the operation timed out or the client disconnected. Pass it to
   * `fetch`, database drivers and timers. Without a handler of this package and without a signal for `prepare` it is
   * never aborted. With `graphql` 17 it aborts `info.getAbortSignal()` too.
   */
  readonly signal: AbortSignal

  /** Queues headers for the response, also if it is an error. Its methods throw without a handler of this package. */
  readonly response: {
    /**
     * Queues a `Set-Cookie` line, and replaces an earlier line for the same cookie.
     * @throws TypeError if the line is not a valid cookie.
     */
    setCookie(line: string): void
    /**
     * Queues a header, and replaces an earlier header of the same name.
     * @throws TypeError if the name or value is not valid in a header, and for `Set-Cookie`.
     */
    setHeader(name: string, value: string): void
  }

  /**
   * Sets the identity that a credential field signed in, `null` for a sign-out. The fields below are checked against
   * it.
   *
   * @throws TypeError outside an operation with a credential field, and for an identity of another policy.
   */
  establish(identity: Identity | null): void
}

/** Makes the challenge of a step-up for an account. */
export type StepUpHook = (
  identity: Identity,
  need: {
    /** The maximum age of the proof; the strictest of several rules. */
    readonly maxAgeSeconds: number
    /**
     * The kinds of factors that answer the challenge: the enrolled factors, or the first factor if it is enough and no
     * other is enrolled. Empty: the account must enroll a second factor first.
     */
    readonly factors: readonly string[]
    /** Whether a recovery code of the account is accepted too. */
    readonly recoveryCode: boolean
  },
  request: HttpRequest,
) => Promise<StepUpChallenge>

/** The challenge of a step-up. */
export interface StepUpChallenge {
  /** The client returns it unchanged with the proof. `null`: the account has no second factor that could answer. */
  readonly challenge: string | null
  /**
   * The kinds of factors that answer the challenge. Without a challenge: the first factors that the user can present
   * again.
   */
  readonly factors: readonly string[]
}
