import type { GraphQLEnumType, GraphQLResolveInfo, GraphQLScalarType } from 'graphql'

/**
 * A resolver that gets this context. The types of the parent object and of the arguments are the resolver's own to
 * write down; what it leaves open is `never`, so that nothing is read by accident.
 */
export type Resolver<Context> = (source: never, args: never, context: Context, info: GraphQLResolveInfo) => unknown

/** A field of the subscription type: where its events come from, and what becomes of each. */
export interface SubscriptionResolver<Context> {
  readonly subscribe: Resolver<Context>
  readonly resolve?: Resolver<Context>
}

/**
 * A map of resolvers, for `satisfies`: the context is known in each of them.
 *
 * @example
 * import type { AuthContext, Resolvers } from '@latchkey/graphql'
 * export const resolvers = {
 *   Query: { me: (_source, _args, { authorize }) => authorize('authenticated').subject },
 * } satisfies Resolvers<AuthContext>
 */
export type Resolvers<Context> = {
  readonly [type: string]:
    | { readonly [field: string]: Resolver<Context> | SubscriptionResolver<Context> }
    | GraphQLScalarType
    | GraphQLEnumType
}
