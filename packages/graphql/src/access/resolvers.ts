import type { GraphQLEnumType, GraphQLResolveInfo, GraphQLScalarType } from 'graphql'

/**
 * A resolver with this context. Declare the types of the parent object and of the arguments in the resolver; both are
 * `never` by default, so that a resolver cannot read them without types.
 */
export type Resolver<Context> = (source: never, args: never, context: Context, info: GraphQLResolveInfo) => unknown

/**
 * A map of resolvers, for `satisfies`, which types the context of each resolver.
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
          /** A field of the subscription type: the source of its events, and the resolver of each event. */
          | { readonly subscribe: Resolver<Context>; readonly resolve?: Resolver<Context> }
      }
    | GraphQLScalarType
    | GraphQLEnumType
}
