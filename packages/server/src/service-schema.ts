import { makeExecutableSchema } from '@graphql-tools/schema'
import type { Account } from '@latchkey/accounts'
import { authDirectives, type Resolvers } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import { type GraphQLSchema, parse } from 'graphql'
import { accountResolvers } from './account-resolvers.ts'
import { accountTypeDefs } from './account-type-defs.ts'
import type { ServerContext } from './server-context.ts'

export interface ServiceSchemaOptions {
  readonly policy: AnyPolicy
  readonly typeDefs: string | readonly string[]
  readonly resolvers: Resolvers<ServerContext<AnyPolicy>>
}

export interface ServiceSchema {
  readonly schema: GraphQLSchema
  /** The application's policy, which knows whose an account is as well. */
  readonly policy: AnyPolicy
}

/**
 * Joins the application's schema with that of the accounts. Of two resolvers for one field the application's counts; of
 * two definitions none does, because joining them would join their rules unseen.
 *
 * @throws TypeError when the two cannot be joined.
 */
export function createServiceSchema({ policy: given, typeDefs, resolvers }: ServiceSchemaOptions): ServiceSchema {
  const policy = given.withOwnership({ accounts: { ownerOf: (account: Account) => account.id } })
  const ours = accountTypeDefs(policy)
  if (![typeDefs].flat().every((sdl) => typeof sdl === 'string')) {
    throw new TypeError('"typeDefs" must be a text in the schema language, or a list of such texts')
  }
  try {
    refuseRepeated(ours, [typeDefs].flat())
    const schema = makeExecutableSchema({
      typeDefs: [authDirectives, ours, typeDefs].flat(),
      resolvers: [accountResolvers(policy), resolvers],
    })
    return { schema, policy }
  } catch (cause) {
    const reason = cause instanceof Error ? cause.message : 'they cannot be read'
    throw new TypeError(`"typeDefs" and "resolvers" make no schema: ${reason}`, { cause })
  }
}

function refuseRepeated(ours: string, theirs: readonly string[]): void {
  const taken = coordinatesOf(ours)
  for (const coordinate of theirs.flatMap((sdl) => [...coordinatesOf(sdl)])) {
    if (taken.has(coordinate)) throw new TypeError(`${coordinate} is there already: it belongs to the accounts`)
  }
}

/** The fields of all types, in definitions and extensions: `Account.email`. */
function coordinatesOf(sdl: string): ReadonlySet<string> {
  const coordinates = parse(sdl, { noLocation: true }).definitions.flatMap((definition) => {
    if (!('fields' in definition)) return []
    return (definition.fields ?? []).map((field) => `${definition.name.value}.${field.name.value}`)
  })
  return new Set(coordinates)
}
