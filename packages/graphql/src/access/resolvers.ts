import type { GraphQLEnumType, GraphQLResolveInfo, GraphQLScalarType } from 'graphql'

/**
 * A resolver that gets this context. The types of the parent object and of the arguments are the resolver's own to
 * write down; what it leaves open is `never`, so that nothing is read by accident.
 */
export type Resolver<Context> = (source: never, args: never, context: Context, info: GraphQLResolveInfo) => unknown

/**
 * A map of resolvers, for `satisfies`: the context is known in each of them.
 *
 * @example
 * import type { AuthContext, Resolvers } from '@latchkey/graphql'
 * export const resolvers = {
 *   Query: { me: (_source, _args, { identity }) => identity?.subject },
 * } satisfies Resolvers<AuthContext>
 */
export type Resolvers<Context> = {
  readonly [type: string]:
    | {
        readonly [field: string]:
          | Resolver<Context>
          /** A field of the subscription type: the source of its events, and what becomes of each. */
          | { readonly subscribe: Resolver<Context>; readonly resolve?: Resolver<Context> }
      }
    | GraphQLScalarType
    | GraphQLEnumType
}
