import { AccessError } from '@latchkey/graphql'
import { type Context, type Input, rejectGone } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'

/** Returns the operation that deletes an account. */
export function deletionSchema({ life }: SchemaOffer): SchemaPart | null {
  return life.deletion ? { typeDefs, resolvers: { Mutation: { deleteAccount } } } : null
}

const typeDefs = /* GraphQL */ `
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

async function deleteAccount(
  _source: unknown,
  { input: { confirm } }: Input<{ readonly confirm: boolean }>,
  { accountSession }: Context,
): Promise<true> {
  if (!confirm) {
    throw new AccessError('BAD_USER_INPUT', {
      field: 'input.confirm',
      message: 'Set confirm to true to delete the account.',
    })
  }
  const { ok } = await accountSession.deleteAccount()
  return ok || rejectGone()
}
