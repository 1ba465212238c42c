import { type Context, type Input, rejectLink } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'

type Token = Input<{ readonly token: string }>

/** Returns the operations that change the address of an account. */
export function emailChangeSchema({ life }: SchemaOffer): SchemaPart | null {
  if (!life.email) return null
  return { typeDefs, resolvers: { Mutation: { requestEmailChange, confirmEmailChange, undoEmailChange } } }
}

const typeDefs = /* GraphQL */ `
  input RequestEmailChangeInput { newEmail: String! }
  input ConfirmEmailChangeInput {
    "Token from the email to the new address."
    token: String!
  }
  input UndoEmailChangeInput {
    "Token from an email to the previous address."
    token: String!
  }
  type Mutation {
    "Emails both addresses. Always true; the address changes with confirmEmailChange."
    requestEmailChange(input: RequestEmailChangeInput!): Boolean!
      @authenticated @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
    "Changes the address and revokes all sessions except the one that requested the change."
    confirmEmailChange(input: ConfirmEmailChangeInput!): Boolean! @public @credential
    "Restores the previous address or cancels a pending change, revokes all sessions and emails a link to reset the password."
    undoEmailChange(input: UndoEmailChangeInput!): Boolean! @public @credential
  }`

function requestEmailChange(
  _source: unknown,
  { input: { newEmail } }: Input<{ readonly newEmail: string }>,
  { accounts, authorize, attempt }: Context,
): Promise<true> {
  return accounts.requestEmailChange({ identity: authorize('authenticated'), newEmail, attempt: attempt() })
}

async function confirmEmailChange(
  _source: unknown,
  { input: { token } }: Token,
  { accounts, attempt }: Context,
): Promise<true> {
  const { ok } = await accounts.confirmEmailChange({ token, attempt: attempt() })
  return ok || rejectLink()
}

async function undoEmailChange(
  _source: unknown,
  { input: { token } }: Token,
  { accounts, attempt }: Context,
): Promise<true> {
  const { ok } = await accounts.undoEmailChange({ token, attempt: attempt() })
  return ok || rejectLink()
}
