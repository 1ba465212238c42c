import type { Resolvers, RuleMap } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { GraphQLSchema } from 'graphql'
import type { ServerContext } from '../accounts-schema/server-context.ts'

/** The application's own schema, as text with resolvers. */
export interface SchemaInText<P extends AnyPolicy> {
  /** The application's own schema; every field carries its rule. */
  readonly typeDefs: string | readonly string[]
  /** The application's resolvers. For a field of the accounts they replace the built-in one; its rule stays. */
  readonly resolvers: Resolvers<ServerContext<P>>
  readonly schema?: never
  readonly rules?: never
}

/** The application's own schema, as the objects of `graphql` that a builder such as Pothos creates. */
export interface SchemaInHand<P extends AnyPolicy> {
  /**
   * The application's own schema with its resolvers, which get a `ServerContext`; it is copied and never changed. The
   * types of the accounts are added: a type of the same name is refused.
   */
  readonly schema: GraphQLSchema
  /** Rules for fields without one in `extensions.auth` or a directive. Fields of the accounts keep theirs. */
  readonly rules?: RuleMap<P>
  readonly typeDefs?: never
  readonly resolvers?: never
}

/** The schema, in one of two forms. */
export type SchemaOptions<P extends AnyPolicy> = SchemaInText<P> | SchemaInHand<P>

/** @throws TypeError unless exactly one of the forms is used. */
export function checkSchemaOptions({ schema, rules, typeDefs, resolvers }: SchemaOptions<AnyPolicy>): void {
  if (schema === undefined && typeDefs === undefined) {
    throw new TypeError('"typeDefs" must be a text in the schema language, or "schema" a GraphQLSchema in place of it')
  }
  if (schema !== undefined && (typeDefs !== undefined || resolvers !== undefined)) {
    throw new TypeError('"schema" replaces "typeDefs" and "resolvers": use one or the others')
  }
  if (schema === undefined && rules !== undefined) {
    throw new TypeError('"rules" goes with "schema": in "typeDefs" each field has its rule as a directive')
  }
  if (rules !== undefined && (typeof rules !== 'object' || rules === null)) {
    throw new TypeError('"rules" must be an object of rules by coordinate')
  }
}
