import type { AnyPolicy } from '@latchkey/rbac'
import type { ServerContext } from '../../schema/server-context.ts'
import { authenticatedRule } from '../../service/account-session/authenticated-rule.ts'
import type { BeforeEnrollment } from '../second-factors/factor-type-defs.ts'

type Context = ServerContext<AnyPolicy>

/** What accounts have allowed clients of others. */
export const grantTypeDefs = (before: BeforeEnrollment): string => /* GraphQL */ `
  "Access that the account has granted to an application."
  type Grant {
    id: ID! @public
    clientId: String! @public
    clientName: String! @public
    scopes: [String!]! @public
    createdAt: String! @public
    "Time the application last received tokens; null if never."
    lastUsedAt: String @public
  }
  type Query {
    "Grants of the account to applications."
    grants: [Grant!]! @authenticated @firstParty ${before}
  }
  type Mutation {
    "Revokes the grant and all tokens of the application. False if the account has no such grant."
    revokeGrant(id: ID!): Boolean! @authenticated @firstParty ${before}
  }`

/** What a session says of the application that it was given to; null: it is one of the service itself. */
export const clientOfSession = /* GraphQL */ `
    clientId: String @public
    clientName: String @public`

export async function grants(
  _source: unknown,
  _args: unknown,
  { consents, authorize }: Context,
): Promise<readonly object[]> {
  const { subject } = authorize(authenticatedRule)
  const listed = (await consents?.list(subject)) ?? []
  return listed.map(({ id, clientId, clientName, scopes, givenAt, lastUsedAt }) => ({
    ...{ id, clientId, clientName, scopes },
    createdAt: new Date(givenAt).toISOString(),
    lastUsedAt: lastUsedAt === null ? null : new Date(lastUsedAt).toISOString(),
  }))
}

export async function revokeGrant(
  _source: unknown,
  { id }: { readonly id: string },
  { consents, authorize }: Context,
): Promise<boolean> {
  return (await consents?.revoke(authorize(authenticatedRule).subject, id)) ?? false
}
