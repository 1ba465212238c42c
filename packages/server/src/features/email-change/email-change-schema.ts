import type { OfferedLife } from '../../schema/schema-offer.ts'

/** Returns the mutations by which owners change their account, with their rules. */
export function lifeTypeDefs({ email, deletion }: OfferedLife): string {
  return [exporting, naming, email ? changingEmail : '', deletion ? deleting : ''].join('\n')
}

const exporting = /* GraphQL */ `
  type Mutation {
    "Exports the data of the account as a JSON string."
    exportAccount: String! @authenticated @firstParty @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
  }`

const naming = /* GraphQL */ `
  input ChangeNameInput {
    "Display name, 1 to 100 characters."
    name: String!
  }
  type Mutation {
    "Changes the display name of the account."
    changeName(input: ChangeNameInput!): Account! @authenticated @firstParty
  }`

const changingEmail = /* GraphQL */ `
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

const deleting = /* GraphQL */ `
  input DeleteAccountInput {
    "Must be true; false is rejected with BAD_USER_INPUT."
    confirm: Boolean!
  }
  type Mutation {
    "Deletes the account permanently."
    deleteAccount(input: DeleteAccountInput!): Boolean!
      @authenticated @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
  }`
