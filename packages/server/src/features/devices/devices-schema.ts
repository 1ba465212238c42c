import type { Accounts } from '@latchkey/accounts'
import type { Context } from '../../schema/account-payloads.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'
import { authenticatedRule } from '../../service/account-session/authenticated-rule.ts'

/** Returns the operations on sessions. */
export function devicesSchema({ before, hasClients, hasApiKeys, canImpersonate }: SchemaOffer): SchemaPart {
  const ofSession = `${hasClients || hasApiKeys ? clientOfSession : ''}${canImpersonate ? impersonatorOfSession : ''}`
  return {
    typeDefs: typeDefs(before, ofSession),
    resolvers: { Query: { sessions }, Mutation: { revokeSession, revokeAllSessions } },
  }
}

type ListedKey = Awaited<ReturnType<Accounts['listApiKeys']>>[number]

/** The fields of a session about its client; null for a session of the service itself. */
const clientOfSession = /* GraphQL */ `
    "ID of the application that has access; null for a session or refresh token of the service itself."
    clientId: String @public
    "Name of the application that has access, or of the API key."
    clientName: String @public`

/** The field of a session about its impersonator. */
const impersonatorOfSession = /* GraphQL */ `
    "ID of the administrator who acts as the account in this session; null for a session of the owner."
    impersonatedBy: ID @public`

const typeDefs = (before: SchemaOffer['before'], ofSession: string): string => /* GraphQL */ `
  "Session or refresh token of the account, on one device."
  type Session {
    "ID to pass to revokeSession."
    id: ID! @public
    "session, refresh or api-key."
    kind: String! @public
    "Creation time in ISO 8601, like all times in this schema."
    createdAt: String! @public
    "Time of the last use, accurate to a minute."
    lastUsedAt: String! @public
    "Time at which it expires if it is not used."
    expiresAt: String! @public
    "User-Agent header of the sign-in."
    userAgent: String @public
    "IP address of the sign-in."
    address: String @public
    "Whether it authenticates the current request."
    current: Boolean! @public${ofSession}
  }
  type Query {
    "Active sessions of the account, including its refresh tokens."
    sessions: [Session!]! @authenticated @firstParty ${before}
  }
  type Mutation {
    "Revokes a session of the account. False if the account has no such session."
    revokeSession(id: ID!): Boolean! @authenticated @firstParty ${before}
    "Revokes all sessions of the account, by default except the current one. Number of revoked sessions."
    revokeAllSessions(exceptCurrent: Boolean = true): Int! @authenticated @firstParty ${before}
  }`

async function sessions(
  _source: unknown,
  _args: unknown,
  { accounts, consents, authorize }: Context,
): Promise<readonly object[]> {
  const { subject, key } = authorize(authenticatedRule)
  const [opened, apiKeys] = await Promise.all([accounts.listSessions(subject), accounts.listApiKeys(subject)])
  const listed = (await consents?.nameSessions(subject, opened)) ?? opened
  // A client with a part of a session is in that session.
  const partOf = opened.find((session) => session.key === key)?.partOf
  const ofSessions = listed.map((session) => ({
    id: session.key,
    kind: session.kind,
    createdAt: new Date(session.createdAt).toISOString(),
    lastUsedAt: new Date(session.lastUsedAt).toISOString(),
    expiresAt: new Date(session.expiresAt).toISOString(),
    ...session.device,
    impersonatedBy: session.impersonation?.by ?? null,
    clientId: session.clientId,
    clientName: 'clientName' in session ? session.clientName : null,
    current: session.key === key || session.lineage === partOf,
  }))
  return [...ofSessions, ...apiKeys.map(toSession)]
}

function toSession({ id, name, createdAt, expiresAt, lastUsedAt }: ListedKey): object {
  return {
    id,
    kind: 'api-key',
    createdAt: new Date(createdAt).toISOString(),
    lastUsedAt: new Date(lastUsedAt ?? createdAt).toISOString(),
    expiresAt: new Date(expiresAt).toISOString(),
    clientName: name,
    current: false,
  }
}

function revokeSession(
  _source: unknown,
  { id }: { id: string },
  { accounts, authorize, attempt }: Context,
): Promise<boolean> {
  return accounts.revokeSession({ subject: authorize(authenticatedRule).subject, key: id, attempt: attempt() })
}

function revokeAllSessions(
  _source: unknown,
  { exceptCurrent }: { exceptCurrent: boolean | null },
  { accounts, authorize, attempt }: Context,
): Promise<number> {
  const identity = authorize(authenticatedRule)
  return accounts.revokeAllSessions({ identity, exceptCurrent: exceptCurrent ?? true, attempt: attempt() })
}
