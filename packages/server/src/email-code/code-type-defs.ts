/** Returns the mutations by which people sign in by a code of a mail: none where the service does not offer it. */
export function codeTypeDefs(isOffered: boolean): string {
  return isOffered ? signInByCode : ''
}

const signInByCode = /* GraphQL */ `
  input RequestSignInCodeInput {
    email: String!
    "That of the sign-in: with NATIVE the challenge is in the answer, else in an HttpOnly cookie."
    delivery: CredentialDelivery = SESSION
    deviceToken: String
  }
  type SignInCodePayload {
    accepted: Boolean! @public
    "For applications outside browsers: the code works beside it, and nowhere else."
    challenge: String @public
  }
  input SignInWithCodeInput {
    email: String!
    "The digits of the mail."
    code: String!
    "What requestSignInCode has answered; browsers have it in a cookie, and it counts with NATIVE only."
    challenge: String
    delivery: CredentialDelivery = SESSION
    deviceToken: String
  }
  type Mutation {
    "Accepted whether or not there is such an account; its owner gets a mail with a code."
    requestSignInCode(input: RequestSignInCodeInput!): SignInCodePayload! @public @credential
    "Signs in by the code of a mail, where it was asked for. An account with a second factor is asked for it."
    signInWithCode(input: SignInWithCodeInput!): SignInPayload! @public @credential
  }`
