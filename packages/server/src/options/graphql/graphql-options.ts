import type { AccessOptions, DocumentLimits, GraphqlHandlerOptions, RuleMap, StreamLimits } from '@latchkey/graphql'
import type { AnyPolicy, RuleOf } from '@latchkey/rbac'

/** The GraphQL endpoint: its path, its rules and its limits. */
export interface GraphqlOptions<P extends AnyPolicy>
  extends Pick<GraphqlHandlerOptions<P>, 'requestLimits' | 'rateLimit' | 'trustedDocuments' | 'statusProfile'> {
  /**
   * The path of the GraphQL endpoint, for example `/api/graphql`. Server-sent events have the path with `/stream`
   * appended.
   * @default '/graphql'
   */
  readonly path?: string
  /**
   * Rules for fields of `schema` that have no rule in `extensions.auth` or a directive. The rules of account fields cannot be
   * changed. With `typeDefs`, write each rule as a directive.
   */
  readonly rules?: RuleMap<P>
  /**
   * The rule of `__schema` and `__type`, or `refused` for every identity.
   * @default 'public' in development, 'refused' in production
   */
  readonly introspection?: 'refused' | RuleOf<P>
  /**
   * The effect of a refusal that is found while a query executes: `reject` the whole response with 403, or leave the field null
   * and respond `partial`ly. Below the root of a mutation it is always `partial`, because the mutation has happened.
   * @default 'reject'
   */
  readonly ownership?: 'reject' | 'partial'
  /**
   * The error codes of the application, for a `GraphQLError` that a resolver throws: the status of each, and the extensions that
   * are sent with it. An error with any other code is masked.
   */
  readonly errors?: AccessOptions<P>['errors']
  /**
   * The limits of one document. An omitted limit has the default of `compileAccess`. With `report` what is over most of them is
   * answered, and is the event `limit.exceeded`.
   */
  readonly documentLimits?: Partial<DocumentLimits>
  /** The limits of subscriptions. An omitted limit has the default of `createSubscriptions`. */
  readonly streamLimits?: Partial<StreamLimits>
}
