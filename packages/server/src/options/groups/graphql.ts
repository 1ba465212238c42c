import type { DocumentLimits, EndpointOptions, RuleMap, StreamLimits } from '@latchkey/graphql'
import type { AnyPolicy, RuleOf } from '@latchkey/rbac'

/** The GraphQL endpoint: its path, its rules and its limits. */
export interface GraphqlOptions<P extends AnyPolicy> extends EndpointOptions {
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
  readonly documentLimits?: Partial<DocumentLimits>
  /** The limits of subscriptions: what is omitted has the default of `createSubscriptions`. */
  readonly streamLimits?: Partial<StreamLimits>
}
