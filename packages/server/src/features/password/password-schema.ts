import { AccessError } from '@latchkey/graphql'
import { type Context, type Input, rejectCredentials, rejectLink } from '../../schema/account-payloads.ts'
import type { SchemaPart } from '../../schema/schema-offer.ts'

/** Returns the operations that change and reset a password. */
export function passwordSchema(): SchemaPart {
  return { typeDefs, resolvers: { Mutation: { changePassword, requestPasswordReset, resetPassword } } }
}

const typeDefs = /* GraphQL */ `
  input ChangePasswordInput { currentPassword: String! newPassword: String! }
  input RequestPasswordResetInput { email: String! deviceToken: String }
  input ResetPasswordInput { token: String! newPassword: String! }
  type Mutation {
    "Changes the password and revokes all other sessions. INVALID_CREDENTIALS if currentPassword is incorrect."
    changePassword(input: ChangePasswordInput!): Boolean! @authenticated @firstParty @credential
    "Emails a link to reset the password to the owner of the address. Always true."
    requestPasswordReset(input: RequestPasswordResetInput!): Boolean! @public @credential
    "Sets a new password. STEP_UP_REQUIRED if a second factor must be confirmed first: answering its challenge sets the password and signs in."
    resetPassword(input: ResetPasswordInput!): Boolean! @public @credential
  }`

async function changePassword(
  _source: unknown,
  { input }: Input<{ currentPassword: string; newPassword: string }>,
  { accountSession }: Context,
): Promise<true> {
  const { ok } = await accountSession.changePassword(input)
  return ok || rejectCredentials()
}

function requestPasswordReset(
  _source: unknown,
  { input }: Input<{ email: string; deviceToken?: string | null }>,
  { accountSession }: Context,
): Promise<true> {
  return accountSession.requestPasswordReset(input)
}

async function resetPassword(
  _source: unknown,
  { input }: Input<{ token: string; newPassword: string }>,
  { accountSession }: Context,
): Promise<true> {
  const result = await accountSession.resetPassword(input)
  if (!result.ok) return rejectLink()
  if (result.status === 'password-set') return true
  const { challenge, factors } = result
  throw new AccessError('STEP_UP_REQUIRED', {
    message: 'Confirm a second factor first. Answering the challenge sets the password and signs in.',
    challenge,
    factors,
  })
}
