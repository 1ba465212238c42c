import type { AuditEntry, AuditLog } from '@latchkey/audit'
import { decodeBase64url, encodeBase64url } from '@latchkey/bytes'
import { AccessError } from '@latchkey/graphql'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'

/** Returns the query of the audit log. */
export function auditSchema({ policy, isAudited }: SchemaOffer): SchemaPart | null {
  if (!isAudited || !policy.permissions.includes('audit:read')) return null
  return { typeDefs, resolvers: { Query: { auditEntries } } }
}

const typeDefs = /* GraphQL */ `
  type AuditConnection {
    nodes: [AuditEntry!]! @public
    "Cursor to pass as after; null on the last page."
    endCursor: ID @public
    hasNextPage: Boolean! @public
  }
  "Recorded decision, for example a password change, a failed sign-in or a key rotation."
  type AuditEntry {
    id: ID! @public
    at: String! @public
    "Event type."
    kind: String! @public
    "done, failed or unknown. Unknown means that the outcome was not recorded."
    state: String! @public
    "ID of the affected account; null if no account is affected."
    accountId: ID @public
    "ID of the account that acted; null if unknown, or for a command of the operator."
    actorId: ID @public
    "Client address. Personal data, like userAgent and requestId: null once erased."
    address: String @public
    userAgent: String @public
    requestId: String @public
  }
  type Query {
    "Audit entries, newest first."
    auditEntries(accountId: ID, kind: String, first: Int = 50, after: ID): AuditConnection!
      @requires(permissions: "audit:read")
  }`

interface AuditArguments {
  readonly accountId?: string | null
  readonly kind?: string | null
  readonly first: number | null
  readonly after?: string | null
}

interface AuditConnection {
  readonly nodes: readonly object[]
  readonly endCursor: string | null
  readonly hasNextPage: boolean
}

/** The largest page. The limits of a document apply to it as to any other list. */
const mostEntries = 1000

async function auditEntries(
  _source: unknown,
  { accountId, kind, first, after }: AuditArguments,
  { audit }: { readonly audit: Pick<AuditLog, 'list'> | null },
): Promise<AuditConnection> {
  const count = Math.min(first ?? 50, mostEntries)
  if (audit === null || count === 0) return { nodes: [], endCursor: null, hasNextPage: false }
  const { items, cursor } = await listAfter(audit, after ?? null, {
    ...(typeof accountId === 'string' && { accountId }),
    ...(typeof kind === 'string' && { kind }),
    first: count,
  })
  const endCursor = cursor === undefined ? null : encodeBase64url(new TextEncoder().encode(cursor))
  return { nodes: items.map(toNode), endCursor, hasNextPage: endCursor !== null }
}

async function listAfter(
  audit: Pick<AuditLog, 'list'>,
  after: string | null,
  query: NonNullable<Parameters<AuditLog['list']>[0]>,
): ReturnType<AuditLog['list']> {
  if (after === null) return audit.list(query)
  const bytes = decodeBase64url(after)
  if (bytes === null) throw refused()
  return audit.list({ ...query, after: new TextDecoder().decode(bytes) }).catch((error: unknown) => {
    throw error instanceof TypeError ? refused() : error
  })
}

function refused(): AccessError {
  return new AccessError('BAD_USER_INPUT', {
    field: 'after',
    message: 'The cursor is not valid. Use the endCursor of a page.',
  })
}

function toNode({ id, at, kind, state, accountId, actorId, address, userAgent, requestId }: AuditEntry): object {
  const iso = new Date(at).toISOString()
  return { id, at: iso, kind, state, accountId, actorId, address, userAgent, requestId }
}
