import { type Context, type Input, rejectGone } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'
import { authenticatedRule } from '../../service/account-session/authenticated-rule.ts'

/** Returns the operations on the name and the data of an account. */
export function profileSchema({ before }: SchemaOffer): SchemaPart {
  return { typeDefs: typeDefs(before), resolvers: { Query: { viewer }, Mutation: { exportAccount, changeName } } }
}

const typeDefs = (before: SchemaOffer['before']): string => /* GraphQL */ `
  input ChangeNameInput {
    "Display name, 1 to 100 characters."
    name: String!
  }
  type Query {
    "Signed-in account."
    viewer: Account! @authenticated @scope(anyOf: "openid") ${before}
  }
  type Mutation {
    "Exports the data of the account as a JSON string."
    exportAccount: String! @authenticated @firstParty @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
    "Changes the display name of the account."
    changeName(input: ChangeNameInput!): Account! @authenticated @firstParty
  }`

async function viewer(_source: unknown, _args: unknown, { accounts, authorize }: Context): Promise<unknown> {
  const account = await accounts.get(authorize({ ...authenticatedRule, scope: 'openid' }).subject)
  return account ?? rejectGone()
}

async function exportAccount(_source: unknown, _args: unknown, context: Context): Promise<string> {
  const { accounts, authorize, attempt } = context
  const exported = await accounts.exportAccount({ identity: authorize('authenticated'), attempt: attempt() })
  return exported ?? rejectGone()
}

async function changeName(
  _source: unknown,
  { input: { name } }: Input<{ readonly name: string }>,
  { accounts, authorize, attempt }: Context,
): Promise<object> {
  const account = await accounts.changeName({ identity: authorize('authenticated'), name, attempt: attempt() })
  return account ?? rejectGone()
}
