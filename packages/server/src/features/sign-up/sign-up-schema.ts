import { type Context, type Input, rejectLink } from '../../schema/account-payloads.ts'
import type { SchemaPart } from '../../schema/schema-offer.ts'

/** Returns the operations of a sign-up. */
export function signUpSchema(): SchemaPart {
  return { typeDefs, resolvers: { Mutation: { signUp, verifyEmail } } }
}

const typeDefs = /* GraphQL */ `
  type SignUpPayload { accepted: Boolean! @public }
  input SignUpInput { email: String! password: String! name: String! }
  input VerifyEmailInput {
    token: String!
    "Password of the sign-up. It takes effect if sent again here, or if the browser that signed up opens the link."
    password: String
  }
  type Mutation {
    "Signs up. The response is the same whether or not the address is taken; its owner gets an email."
    signUp(input: SignUpInput!): SignUpPayload! @public @credential
    "Verifies the address of a sign-up and creates its account. BAD_USER_INPUT if the token is invalid or expired."
    verifyEmail(input: VerifyEmailInput!): Boolean! @public @credential
  }`

function signUp(
  _source: unknown,
  { input }: Input<{ readonly email: string; readonly password: string; readonly name: string }>,
  { accountSession }: Context,
): Promise<{ readonly accepted: true }> {
  return accountSession.signUp(input)
}

async function verifyEmail(
  _source: unknown,
  { input }: Input<{ token: string; password?: string | null }>,
  { accountSession }: Context,
): Promise<true> {
  const { ok } = await accountSession.verifyEmail(input)
  return ok || rejectLink()
}
