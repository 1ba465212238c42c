import type { EndpointOptions, Limits, RuleMap, StreamLimits } from '@latchkey/graphql'
import type { AnyPolicy, RuleOf } from '@latchkey/rbac'

/** How the GraphQL endpoint answers. */
export interface GraphqlOptions<P extends AnyPolicy>
  extends Pick<EndpointOptions, 'rateLimit' | 'trustedDocuments' | 'statusProfile'> {
  /**
   * The path of the GraphQL endpoint, such as `/api/graphql`; server-sent events are at `stream` below it.
   * @default '/graphql'
   */
  readonly path?: string
  /**
   * Beside `schema`: rules for fields without one in `extensions.auth` or a directive. Fields of the accounts keep theirs.
   * In `typeDefs` each field has its rule as a directive.
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
  /** The limits of one document: what is omitted has the default of `compileAccess`. */
  readonly documentLimits?: Partial<Limits>
  /** The limits of subscriptions: what is omitted has the default of `createSubscriptions`. */
  readonly streamLimits?: Partial<StreamLimits>
  /** The limits of one request. */
  readonly requestLimits?: {
    /** The most bytes that a body may have. @default 100000 */
    readonly bodyBytes?: number
    /** The most bytes that path and query may have, percent-encoded as they are sent. @default 8192 */
    readonly urlBytes?: number
    /**
     * The most bytes that a response may have, a batch as a whole. It is decided before the response is written: beyond, it
     * is `REPLY_TOO_LARGE`.
     * @default 10000000
     */
    readonly responseBytes?: number
    /**
     * How long an operation may take once the request is read, in milliseconds: then the response is 503, and the `signal`
     * in the context of its resolvers is aborted.
     * @default 10000
     */
    readonly executionMs?: number
    /**
     * How many operations one POST may bring as an array, at most 10; each is counted by `rateLimit`. Omitted: an array
     * is refused.
     */
    readonly batchSize?: number
  }
}
