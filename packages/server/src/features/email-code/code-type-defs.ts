/** Returns the mutations by which people sign in by a code of a mail: none where the service does not offer it. */
export function codeTypeDefs(isOffered: boolean): string {
  return isOffered ? signInByCode : ''
}

const signInByCode = /* GraphQL */ `
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
