import type { Context } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'

/** Returns the query for the sign-in of a request, which the payloads of sign-in and refresh have as well. */
export function sessionSchema({ before, policy: { permissions } }: SchemaOffer): SchemaPart {
  const session = async (_source: unknown, _args: unknown, context: Context): Promise<object | null> => {
    const current = await context.accountSession.current()
    return current && { ...current, permissions: permissions.filter((permission) => context.can(permission)) }
  }
  const ofPayload = (source: Payload, args: unknown, context: Context): Promise<object | null> | null =>
    source.status === 'SECOND_FACTOR_REQUIRED' ? null : session(source, args, context)
  return {
    typeDefs: typeDefs(before),
    resolvers: { Query: { session }, SignInPayload: { session: ofPayload }, TokenPayload: { session } },
  }
}

interface Payload {
  readonly status: 'SIGNED_IN' | 'SECOND_FACTOR_REQUIRED'
}

const typeDefs = (before: SchemaOffer['before']): string => /* GraphQL */ `
  "Sign-in of the current user."
  type CurrentSession {
    account: Account! @public
    "CSRF token that mutations send in the x-csrf-token header; null without a session cookie."
    csrfToken: String @public
    "Seconds until the sign-in expires, even if it is used."
    expiresIn: Int! @public
    "Seconds until the sign-in expires if it is not used."
    idleExpiresIn: Int! @public
    "Time of the last confirmed factor, in ISO 8601."
    authenticatedAt: String! @public
    "Kinds of the confirmed factors, for example password and totp."
    factors: [String!]! @public
    "Permissions of the account, limited by the scopes of the application."
    permissions: [String!]! @public
    "Whether the account must set up a second factor before it can do anything else."
    mustEnroll: Boolean! @public
    "ID of the administrator who acts as the account; null otherwise."
    impersonatedBy: ID @public
  }
  type Query {
    "Sign-in of the current user; null without a signed-in user."
    session: CurrentSession @authenticated @scope(anyOf: "openid") ${before} @orNull
  }`
