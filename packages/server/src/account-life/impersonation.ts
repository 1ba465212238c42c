import type { Account } from '@latchkey/accounts'
import type { AnyPolicy } from '@latchkey/rbac'
import type { Resolve } from '../accounts-schema/account-payloads.ts'
import type { ServerContext } from '../accounts-schema/server-context.ts'

type Context = ServerContext<AnyPolicy>

/** The mutations by which administrators act as other accounts, with their rules. */
export const impersonationTypeDefs = /* GraphQL */ `
  input StartImpersonationInput {
    accountId: ID!
    "Why, 1 to 500 characters, for the audit log."
    reason: String!
  }
  "What the administrator acts as the account by, in the form of the own sign-in."
  type ImpersonationPayload {
    account: Account! @public
    "When it ends at the latest."
    expiresAt: String! @public
    "With a session, whose cookie has taken the place of the own one."
    csrfToken: String @public
    "For who has shown an access token. There is no refresh token."
    accessToken: String @public
    "Seconds."
    expiresIn: Int @public
  }
  type Mutation {
    "The owner gets a mail, unless that is turned off."
    startImpersonation(input: StartImpersonationInput!): ImpersonationPayload!
      @requires(permissions: "accounts:impersonate") @firstParty
      @stepUp(maxAgeSeconds: 300)
    "By who acts as another account; both sign in anew. False: there was nothing to end."
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

export const impersonationResolvers: Readonly<Record<string, Readonly<Record<string, Resolve>>>> = {
  Account: { impersonatedBy },
  Mutation: { startImpersonation, endImpersonation },
}
