import { type Context, type Input, rejectCredentials, toSignInPayload } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'
import type { CredentialDelivery } from '../../service/account-session/account-session.ts'

/** Returns the operations that sign in by a code of a mail. */
export function emailCodeSchema({ isCodeOffered }: SchemaOffer): SchemaPart | null {
  return isCodeOffered ? { typeDefs, resolvers: { Mutation: { requestSignInCode, signInWithCode } } } : null
}

const typeDefs = /* GraphQL */ `
  input RequestSignInCodeInput {
    email: String!
    "Delivery of the later sign-in. With NATIVE the response contains the challenge; otherwise an HttpOnly cookie does."
    delivery: CredentialDelivery = SESSION
    deviceToken: String
  }
  type SignInCodePayload {
    accepted: Boolean! @public
    "Challenge that signInWithCode requires with the code; null unless the delivery is NATIVE."
    challenge: String @public
  }
  input SignInWithCodeInput {
    email: String!
    "Code from the email."
    code: String!
    "Challenge from requestSignInCode if the delivery is NATIVE. Browsers send it in a cookie."
    challenge: String
    delivery: CredentialDelivery = SESSION
    deviceToken: String
  }
  type Mutation {
    "Emails a sign-in code. The response is the same whether or not the account exists."
    requestSignInCode(input: RequestSignInCodeInput!): SignInCodePayload! @public @credential
    "Signs in with a code from an email, in the browser or application that requested it. The status is SECOND_FACTOR_REQUIRED if the account has a second factor."
    signInWithCode(input: SignInWithCodeInput!): SignInPayload! @public @credential
  }`

/** A variable that is `null` counts as omitted. */
interface RequestFields {
  readonly email: string
  readonly delivery: CredentialDelivery | null
  readonly deviceToken?: string | null
}

interface CodeFields extends RequestFields {
  readonly code: string
  readonly challenge?: string | null
}

function requestSignInCode(
  _source: unknown,
  { input: { delivery, ...fields } }: Input<RequestFields>,
  { accountSession }: Context,
): Promise<object> {
  return accountSession.requestSignInCode({ ...fields, delivery: delivery ?? 'SESSION' })
}

async function signInWithCode(
  _source: unknown,
  { input: { delivery, ...fields } }: Input<CodeFields>,
  { accountSession }: Context,
): Promise<unknown> {
  const result = await accountSession.signInWithCode({ ...fields, delivery: delivery ?? 'SESSION' })
  return result.ok ? toSignInPayload(result) : rejectCredentials()
}
