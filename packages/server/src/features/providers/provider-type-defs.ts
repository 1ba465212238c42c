/** Returns the fields by which owners see and remove their links to providers: none where the service does not offer it. */
export function providerTypeDefs(isOffered: boolean): string {
  return isOffered ? links : ''
}

const links = /* GraphQL */ `
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
