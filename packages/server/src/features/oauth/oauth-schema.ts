import type { Context } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'
import { authenticatedRule } from '../../service/account-session/authenticated-rule.ts'

/** Returns the operations on grants. */
export function oauthSchema({ hasClients, before }: SchemaOffer): SchemaPart | null {
  if (!hasClients) return null
  return { typeDefs: typeDefs(before), resolvers: { Query: { grants }, Mutation: { revokeGrant } } }
}

const typeDefs = (before: SchemaOffer['before']): string => /* GraphQL */ `
  "Access that the account has granted to an application."
  type Grant {
    id: ID! @public
    clientId: String! @public
    clientName: String! @public
    "Host of an application with a URL as its id; null for an application registered with the service."
    clientHost: String @public
    scopes: [String!]! @public
    createdAt: String! @public
    "Time the application last received tokens; null if never."
    lastUsedAt: String @public
  }
  type Query {
    "Grants of the account to applications."
    grants: [Grant!]! @authenticated @firstParty ${before}
  }
  type Mutation {
    "Revokes the grant and all tokens of the application. False if the account has no such grant."
    revokeGrant(id: ID!): Boolean! @authenticated @firstParty ${before}
  }`

async function grants(_source: unknown, _args: unknown, { consents, authorize }: Context): Promise<readonly object[]> {
  const { subject } = authorize(authenticatedRule)
  const listed = (await consents?.list(subject)) ?? []
  return listed.map(({ id, clientId, clientName, clientHost, scopes, givenAt, lastUsedAt }) => ({
    ...{ id, clientId, clientName, clientHost, scopes },
    createdAt: new Date(givenAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }))
}

async function revokeGrant(
  _source: unknown,
  { id }: { readonly id: string },
  { consents, authorize }: Context,
): Promise<boolean> {
  return (await consents?.revoke(authorize(authenticatedRule).subject, id)) ?? false
}
