/** Returns the fields by which owners see and remove their links to providers: none where the service does not offer it. */
export function providerTypeDefs(isOffered: boolean): string {
  return isOffered ? links : ''
}

const links = /* GraphQL */ `
  type LinkedProvider {
    "What unlinkProvider takes."
    id: ID! @public
    "The provider: its issuer identifier."
    issuer: String! @public
    createdAt: String! @public
  }
  type Query {
    "By which providers the account can be signed in to, the oldest first."
    linkedProviders: [LinkedProvider!]! @authenticated @firstParty
  }
  type Mutation {
    "Ends all other sessions. False: the account has no such link. The last way to sign in is not removed."
    unlinkProvider(id: ID!): Boolean!
      @authenticated @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
  }`
