import type { Accounts } from '@latchkey/accounts'
import { AccessError } from '@latchkey/graphql'
import type { Context } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'
import { authenticatedRule } from '../../service/account-session/authenticated-rule.ts'

/** Returns the operations on API keys. */
export function apiKeysSchema({ hasApiKeys, apiKeyDays, before }: SchemaOffer): SchemaPart | null {
  if (!hasApiKeys) return null
  return {
    typeDefs: typeDefs(before, apiKeyDays),
    resolvers: { Query: { apiKeys }, Mutation: { createApiKey, revokeApiKey } },
  }
}

const typeDefs = (before: SchemaOffer['before'], days: number): string => /* GraphQL */ `
  "Key with which a program acts for the account, within its scopes."
  type ApiKey {
    "ID to pass to revokeApiKey. It gives no access."
    id: ID! @public
    name: String! @public
    "First 8 characters of the key."
    start: String! @public
    scopes: [String!]! @public
    createdAt: String! @public
    expiresAt: String! @public
    "Time of the last use, accurate to a minute; null if never."
    lastUsedAt: String @public
  }
  type CreatedApiKey {
    apiKey: ApiKey! @public
    "The key, shown this once. Send it as bearer token."
    key: String! @public
  }
  input CreateApiKeyInput {
    "1 to 64 characters."
    name: String!
    "At least one, and only permissions that the account has."
    scopes: [String!]!
    expiresInDays: Int! = ${days}
  }
  type Query {
    "API keys of the account that have not expired."
    apiKeys: [ApiKey!]! @authenticated @firstParty ${before}
  }
  type Mutation {
    "Creates an API key. The owner gets an email."
    createApiKey(input: CreateApiKeyInput!): CreatedApiKey! @authenticated @firstParty @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
    "Revokes an API key immediately. False if the account has no such key."
    revokeApiKey(id: ID!): Boolean! @authenticated @firstParty ${before}
  }`

async function apiKeys(_source: unknown, _args: unknown, { accounts, authorize }: Context): Promise<readonly object[]> {
  return (await accounts.listApiKeys(authorize(authenticatedRule).subject)).map(toPayload)
}

type CreateInput = Pick<Parameters<Accounts['createApiKey']>[0], 'name' | 'scopes' | 'expiresInDays'>

async function createApiKey(
  _source: unknown,
  { input }: { readonly input: CreateInput },
  { accounts, authorize, attempt }: Context,
): Promise<object> {
  const identity = authorize({ authenticated: true, firstParty: true })
  const created = await accounts.createApiKey({ identity, ...input, attempt: attempt() })
  // The account has changed meanwhile, which revoked the session.
  if (!created.ok) throw new AccessError('UNAUTHENTICATED')
  return { apiKey: toPayload(created.apiKey), key: created.key }
}

function revokeApiKey(
  _source: unknown,
  { id }: { readonly id: string },
  { accounts, authorize, attempt }: Context,
): Promise<boolean> {
  return accounts.revokeApiKey({ subject: authorize(authenticatedRule).subject, id, attempt: attempt() })
}

type ApiKey = Awaited<ReturnType<Accounts['listApiKeys']>>[number]

function toPayload({ createdAt, expiresAt, lastUsedAt, ...key }: ApiKey): object {
  return {
    ...key,
    createdAt: new Date(createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }
}
