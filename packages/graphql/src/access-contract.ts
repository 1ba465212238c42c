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
  /** Every field of every object type, sorted, with all rules that reach it: what `reportAccess` prints. */
  readonly fields: readonly {
    /** `Type.field` */
    readonly coordinate: string
    /** Every rule that reaches the field; empty: public. */
    readonly rules: readonly Rule[]
    /** The rules without those of the type that the field returns. */
    readonly own: readonly Rule[]
    /** The rules of the type that the field returns. */
    readonly returned: readonly Rule[]
    readonly isCredential: boolean
  }[]
  /** The codes of the option `errors`, sorted; `built in` is the status of a code that is not the application's. */
  readonly errors: ReadonlyMap<string, { readonly status: number | 'built in'; readonly expose: readonly string[] }>
  /** Of the option `limits`, with its default. */
  readonly limits: { readonly pageSize: number }
  /** The rules of introspection; empty: public. */
  readonly introspection: readonly Rule[]
  /**
   * Decides an operation before anything executes. The `args` of its verdict execute with the context in them and with no
   * other; a refusal is described by `errors`, and by `response` for graphql-http.
   *
   * It returns a promise only where owners have to be loaded or a challenge is made, as `execute` of `graphql` does for
   * resolvers: await it. It rejects with what the policy's `ownersById` or `stepUp` threw.
   */
  readonly prepare: (
    params: {
      readonly query: string
      /** Empty or `null`: not given. */
      readonly operationName?: string | null | undefined
      readonly variables?: Readonly<Record<string, unknown>> | null | undefined
    },
    input: PrepareInput<P>,
  ) => Promise<OperationVerdict> | OperationVerdict
  /**
   * Returns the identity if it satisfies a rule: for what is asked outside of operations, such as by a form of a page, and
   * has to be decided as a field with that rule is.
   *
   * @param resource the resource that must be owned, for a rule with an `owner`.
   * @throws AccessError `UNAUTHENTICATED`, `FORBIDDEN` or `STEP_UP_REQUIRED`.
   * @throws TypeError when the rule is not one of this policy, or names an owner by an argument, and for an identity of
   * another policy.
   */
  authorize(identity: Identity | null, rule: Exclude<RuleOf<P>, 'public'>, resource?: unknown): Identity
  /**
   * The copy that executes what `prepare` decided and nothing else, for a server that asks for a schema before there is
   * a request. Without a plan its root fields throw, so a server that forgets to ask for one serves no data. Introspection is
   * refused like them by `execute` of `graphql` 17, not by that of 16 nor by executors of others.
   */
  readonly sealed: GraphQLSchema
}

/** The identity of a request, and how the request came. */
export interface PrepareInput<P extends AnyPolicy> {
  readonly identity: Identity | null
  /** Default `POST`. Over `GET` neither mutations nor credential fields are answered. */
  readonly method?: 'GET' | 'POST'
  /** What the identity came by; a mutation over a cookie has to show `csrf`. */
  readonly credential?: 'bearer' | 'cookie' | null
  /** The origin check failed: credential fields are refused. */
  readonly forged?: boolean
  /** It is one of several operations in one request: credential fields are refused. */
  readonly batched?: boolean
  /** Whether a valid token for this session is shown. Omitted: the server around this checks it. */
  readonly csrf?: () => boolean
  /** What `context.response` writes to. Omitted: its methods throw. */
  readonly response?: AuthContext<P>['response']
  /** Aborts the execution where `graphql` 17 executes; resolvers have it in their context. Omitted: never aborted. */
  readonly signal?: AbortSignal | undefined
  /** Returns what resolvers have in their context besides. */
  readonly extend?: (base: AuthContext<P>) => object
  /**
   * Makes the challenge that answers a step-up, `challenge` in the extensions of `STEP_UP_REQUIRED`. What it throws, `prepare`
   * rejects with. Omitted: the extension is the error code of RFC 9470.
   */
  readonly stepUp?: ((identity: Identity, need: Parameters<StepUpHook>[1]) => Promise<StepUpChallenge>) | undefined
  /**
   * The scopes that clients may request, in the order of `scopes_supported`: a refusal of `UNAUTHENTICATED` or of a grant that is too narrow
   * has those that the operation needs in `extensions.scopes`. Omitted: no scope is named.
   */
  readonly publishedScopes?: readonly string[] | undefined
  /** The request's `Accept` header, for `response`. @default 'application/graphql-response+json' */
  readonly accept?: string | null
}

/**
 * `args` executes as it is and not otherwise; `errors` each have `extensions.code`. `exceeded` lists the limits that the
 * document exceeds. With `limits: { report: true }` an allowed operation can have them, too.
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
    /** The count in the document; `null` if counting ended at the limit. */
    readonly value: number | null
    readonly allowed: number
    /** The client chose it. */
    readonly operationName: string | null
    /** `null` if the operation was refused before it was priced. */
    readonly cost: number | null
    /** `false` if the limit is only reported. */
    readonly refused: boolean
  }[]
} & (
  | {
      readonly ok: true
      /** For `execute`. The context is what graphql-http takes for one. */
      readonly args: ExecutionArgs & { readonly contextValue: Record<PropertyKey, unknown> }
      /** What a server needs to know of the operation to answer it. */
      readonly plan: {
        /** It has a credential field, which is then its only root field. */
        readonly credential: boolean
        /** It reaches a field that is not public, or a resolver of it has got an identity from `authorize`. */
        readonly requiresIdentity: boolean
        readonly operation: 'query' | 'mutation' | 'subscription'
        /** What a refusal while executing does: reject the whole answer, or leave the field null. */
        readonly ownership: 'reject' | 'partial'
      }
    }
  | {
      readonly ok: false
      readonly errors: readonly GraphQLError[]
      readonly plan: Extract<OperationVerdict, { readonly ok: true }>['plan'] | null
      /** What graphql-http takes for a response. */
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
   * The identity of the request, or `null`: in a field whose rule is not `public` there is one. Below a credential field: the
   * identity that it signed in.
   */
  readonly identity: Identity | null

  /**
   * Returns the identity if it satisfies a rule: for conditions that the rules of the schema cannot express. `'authenticated'`
   * refuses OAuth clients; where the field has a rule, read `identity`.
   *
   * @param resource the resource that must be owned, for a rule with an `owner`. A missing one is refused like a foreign one.
   * @throws AccessError `UNAUTHENTICATED`, `FORBIDDEN` or `STEP_UP_REQUIRED`.
   * @throws TypeError when the rule is not one of this policy, or names an owner by an argument.
   */
  authorize(rule: Exclude<RuleOf<P>, 'public'>, resource?: unknown): Identity

  /** As `policy.can`, for the identity of this request. */
  can<Permission extends PermissionOf<P>>(
    permission: Permission,
    ...ownership: OwnershipArguments<P['ownership'], Permission, PermissionOf<P>>
  ): boolean

  /** As `policy.explain`, for the identity of this request. */
  explain<Permission extends PermissionOf<P>>(
    permission: Permission,
    ...ownership: OwnershipArguments<P['ownership'], Permission, PermissionOf<P>>
  ): Decision

  /**
   * Returns the ids for which the identity has the permission, in their order. All calls of one request are batched into
   * one call of `ownersById`; what that throws is passed on.
   */
  canEach<Permission extends PermissionOf<P>>(
    permission: Permission,
    ids: readonly string[],
    options?: { readonly unless?: PermissionOf<P> },
  ): Promise<string[]>

  /** As `policy.filter`, for the identity of this request. */
  filter<Permission extends PermissionOf<P>>(
    permission: Permission,
    options?: { readonly unless?: PermissionOf<P> },
  ): Filter<OwnedWhere<P['ownership'], Permission>>

  /**
   * Aborted when the answer is no longer needed: the time of the operation is over, or the client has disconnected. Pass
   * it to `fetch`, database drivers and timers. Where no handler of this package answers and `prepare` got no signal, it is
   * never aborted. With `graphql` 17 `info.getAbortSignal()` is aborted then, too.
   */
  readonly signal: AbortSignal

  /** Queues headers for the response, an error too. Where no handler of this package responds, its methods throw. */
  readonly response: {
    /**
     * Queues a `Set-Cookie` line, in place of an earlier one for the same cookie.
     * @throws TypeError if it is not a cookie, or would break out of its header.
     */
    setCookie(line: string): void
    /**
     * Queues a header, in place of an earlier one of the same name.
     * @throws TypeError if the name or value would break out of its header, and for `Set-Cookie`.
     */
    setHeader(name: string, value: string): void
  }

  /**
   * Sets the identity that a credential field signed in, `null` for signed out. Fields below it are checked against it.
   *
   * @throws TypeError outside an operation with a credential field, and for an identity of another policy.
   */
  establish(identity: Identity | null): void
}

/** Makes the challenge of a step-up for an account. */
export type StepUpHook = (
  identity: Identity,
  need: {
    /** How old the proof may be at most; of several rules the strictest. */
    readonly maxAgeSeconds: number
    /**
     * The kinds of factors that answer: the enrolled ones; without any, and where the first factor is enough, that one.
     * Empty: the account has no second factor, and needs one.
     */
    readonly factors: readonly string[]
    /** A recovery code answers too, if the account has any. */
    readonly recoveryCode: boolean
  },
  request: HttpRequest,
) => Promise<StepUpChallenge>

/** What answers a step-up. */
export interface StepUpChallenge {
  /** What the client sends with the proof, as it is. `null`: there is no second factor now that could answer. */
  readonly challenge: string | null
  /** The kinds of factors that answer it; without a challenge, those of first factors that can be shown again. */
  readonly factors: readonly string[]
}
