import { type Context, type Input, rejectCredentials, toSignInPayload } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'

/** Returns the operation that takes the password as a fresh proof. */
export function stepUpSchema({ before }: SchemaOffer): SchemaPart {
  return { typeDefs: typeDefs(before), resolvers: { Mutation: { confirmPassword } } }
}

const typeDefs = (before: SchemaOffer['before']): string => /* GraphQL */ `
  input ConfirmPasswordInput { currentPassword: String! }
  type Mutation {
    "Confirms the password of the signed-in account. Replaces the credentials with new ones in the same form. INVALID_CREDENTIALS if the password is incorrect."
    confirmPassword(input: ConfirmPasswordInput!): SignInPayload!
      @authenticated @firstParty @credential ${before}
  }`

async function confirmPassword(
  _source: unknown,
  { input }: Input<{ currentPassword: string }>,
  { accountSession }: Context,
): Promise<unknown> {
  const result = await accountSession.confirmPassword(input)
  return result.ok ? toSignInPayload(result) : rejectCredentials()
}
