import { type Context, rejectCredentials } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'

/** Returns the operations on links to providers. */
export function providersSchema({ hasProviders }: SchemaOffer): SchemaPart | null {
  if (!hasProviders) return null
  return { typeDefs, resolvers: { Query: { linkedProviders }, Mutation: { unlinkProvider } } }
}

const typeDefs = /* GraphQL */ `
  type LinkedProvider {
    "ID to pass to unlinkProvider."
    id: ID! @public
    "Issuer identifier of the provider."
    issuer: String! @public
    createdAt: String! @public
  }
  type Query {
    "Providers with which the owner can sign in, oldest link first."
    linkedProviders: [LinkedProvider!]! @authenticated @firstParty
  }
  type Mutation {
    "Unlinks a provider and revokes all other sessions. False if the account has no such link; BAD_USER_INPUT if it is the only way to sign in."
    unlinkProvider(id: ID!): Boolean!
      @authenticated @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
  }`

async function linkedProviders(
  _source: unknown,
  _args: unknown,
  { accounts, authorize }: Context,
): Promise<readonly object[]> {
  const linked = await accounts.linkedProviders(authorize('authenticated').subject)
  return linked.map(({ id, issuer, createdAt }) => ({ id, issuer, createdAt: new Date(createdAt).toISOString() }))
}

async function unlinkProvider(
  _source: unknown,
  { id }: { readonly id: string },
  { factorSession }: Context,
): Promise<boolean> {
  const result = await factorSession.unlinkProvider(id)
  if (result === null) return false
  return result.ok || rejectCredentials()
}
