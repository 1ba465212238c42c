import type { Resolver, SubscriptionResolver } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { GraphQLEnumType, GraphQLResolveInfo, GraphQLScalarType, GraphQLSchema } from 'graphql'
import type { ServerContext } from '../../schema/server-context.ts'

/** The resolvers of one type by field, each a function or an object with one, as code generators write it. */
export interface FieldResolvers<Context> {
  readonly [field: string]:
    | Resolver<Context>
    | { readonly resolve: Resolver<Context> }
    | SubscriptionResolver<Context>
    | undefined
}

/** Which object type a value of an interface or union has, and whether a value is of an object type. */
export interface TypeResolvers<Context> {
  readonly __resolveType?: TypeDecision<Context> | undefined
  readonly __isTypeOf?: TypeDecision<Context> | undefined
}

type TypeDecision<Context> = (value: never, context: Context, info: GraphQLResolveInfo) => unknown

/** The values that stand in the program for those of an enum. */
export interface EnumValues {
  readonly [value: string]: string | number | bigint | boolean | symbol | undefined
}

/**
 * The resolvers of a schema by type: what `Resolvers` of `@latchkey/graphql` describes, and the types that
 * `typescript-resolvers` of graphql-codegen generates with `ServerContext` as their context.
 */
export interface ResolverMap<Context> {
  readonly [type: string]:
    | FieldResolvers<Context>
    | TypeResolvers<Context>
    | EnumValues
    | GraphQLScalarType
    | GraphQLEnumType
    | undefined
}

/** The application's own schema, as text with resolvers. */
export interface SdlSchema<P extends AnyPolicy, Added = unknown> {
  /** The application's own schema; every field carries its rule. */
  readonly typeDefs: string | readonly string[]
  /** The application's resolvers. For a field of the accounts they replace the built-in one; its rule stays. */
  readonly resolvers: ResolverMap<ServerContext<P> & Added>
  readonly schema?: never
}

/** The application's own schema, as the objects of `graphql` that a builder such as Pothos creates. */
export interface PrebuiltSchema {
  /**
   * The application's own schema with its resolvers, which get a `ServerContext`; it is copied and never changed. The
   * types of the accounts are added: a type of the same name is refused.
   */
  readonly schema: GraphQLSchema
  readonly typeDefs?: never
  readonly resolvers?: never
}

/** The schema, in one of two forms. */
export type SchemaOptions<P extends AnyPolicy, Added = unknown> = SdlSchema<P, Added> | PrebuiltSchema
