import type { OfferedLife } from './offered-life.ts'

/** Returns the mutations by which owners change their account, with their rules. */
export function lifeTypeDefs({ name, email, deletion }: OfferedLife): string {
  return [exporting, name ? naming : '', email ? changingEmail : '', deletion ? deleting : ''].join('\n')
}

const exporting = /* GraphQL */ `
  type Mutation {
    "The data of the account, as JSON."
    exportAccount: String! @authenticated @firstParty @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
  }`

const naming = /* GraphQL */ `
  input ChangeNameInput {
    "1 to 100 characters."
    name: String!
  }
  type Mutation {
    changeName(input: ChangeNameInput!): Account! @authenticated @firstParty
  }`

const changingEmail = /* GraphQL */ `
  input RequestEmailChangeInput { newEmail: String! }
  input ConfirmEmailChangeInput {
    "Of the mail to the new address."
    token: String!
  }
  input UndoEmailChangeInput {
    "Of a mail to the address before."
    token: String!
  }
  type Mutation {
    "Always true, and nothing has changed: both addresses get a mail."
    requestEmailChange(input: RequestEmailChangeInput!): Boolean!
      @authenticated @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
    "Ends all sessions but the one that has asked for the change."
    confirmEmailChange(input: ConfirmEmailChangeInput!): Boolean! @public @credential
    "Ends all sessions, and asks for a new password by a mail. It works before the change is confirmed as well."
    undoEmailChange(input: UndoEmailChangeInput!): Boolean! @public @credential
  }`

const deleting = /* GraphQL */ `
  input DeleteAccountInput {
    "False is refused."
    confirm: Boolean!
  }
  type Mutation {
    "For ever: nothing brings the account back."
    deleteAccount(input: DeleteAccountInput!): Boolean!
      @authenticated @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
  }`
