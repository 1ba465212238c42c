import type { Account } from '@latchkey/accounts'
import type { Context } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'

/** Returns the operations of administrators who act as an account. */
export function impersonationSchema({ canImpersonate }: SchemaOffer): SchemaPart | null {
  if (!canImpersonate) return null
  return {
    typeDefs,
    resolvers: { Account: { impersonatedBy }, Mutation: { startImpersonation, endImpersonation } },
  }
}

const typeDefs = /* GraphQL */ `
  input StartImpersonationInput {
    accountId: ID!
    "Reason for the audit log, 1 to 500 characters."
    reason: String!
  }
  "Credentials with which the administrator acts as the account, in the form of the administrator's own sign-in."
  type ImpersonationPayload {
    account: Account! @public
    "Latest time at which the impersonation expires, in ISO 8601."
    expiresAt: String! @public
    "CSRF token of the session that replaces the administrator's; null if an access token is issued."
    csrfToken: String @public
    "Access token, without a refresh token; null if a session is started."
    accessToken: String @public
    "Lifetime of the access token in seconds; null if a session is started."
    expiresIn: Int @public
  }
  type Mutation {
    "Starts acting as another account. Emails its owner unless the service has turned this off."
    startImpersonation(input: StartImpersonationInput!): ImpersonationPayload!
      @requires(permissions: "accounts:impersonate") @firstParty
      @stepUp(maxAgeSeconds: 300)
    "Stops acting as another account; the administrator must sign in again. False if the request does not act as another account."
    endImpersonation: Boolean! @authenticated
  }`

interface StartInput {
  readonly input: { readonly accountId: string; readonly reason: string }
}

function impersonatedBy({ id }: Account, _args: unknown, { identity }: Context): string | null {
  return identity?.subject === id ? identity.impersonator : null
}

function startImpersonation(_source: unknown, { input }: StartInput, { accountSession }: Context): Promise<object> {
  return accountSession.startImpersonation(input)
}

function endImpersonation(_source: unknown, _args: unknown, { accountSession }: Context): Promise<boolean> {
  return accountSession.endImpersonation()
}
