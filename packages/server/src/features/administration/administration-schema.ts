import { decodeBase64url, encodeBase64url } from '@latchkey/bytes'
import { AccessError } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { Resolve } from '../../schema/account-payloads.ts'
import type { ServerContext } from '../../schema/server-context.ts'

type Context = ServerContext<AnyPolicy>
type OfPolicy = Pick<AnyPolicy, 'permissions'>

/** Returns what administrators may do to accounts, with its rules: what the policy names no permission for is omitted. */
export function administrationTypeDefs({ permissions }: OfPolicy): string {
  return [
    permissions.includes('accounts:read') ? finding : '',
    permissions.includes('accounts:update') ? closing : '',
  ].join('\n')
}

const finding = /* GraphQL */ `
  type AccountConnection {
    nodes: [Account!]! @public
    "Cursor to pass as after; null on the last page."
    endCursor: ID @public
    hasNextPage: Boolean! @public
  }
  type Query {
    "Finds accounts by part of the address, name or ID. Lists all accounts without a text."
    findAccounts(text: String, first: Int = 20, after: ID): AccountConnection! @requires(permissions: "accounts:read")
  }`

const closing = /* GraphQL */ `
  type Mutation {
    "Locks the account, revokes its sessions and tokens, and emails its owner. NOT_FOUND if the account does not exist."
    lockAccount(id: ID!): Account!
      @requires(permissions: "accounts:update") @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
    "Unlocks the account. NOT_FOUND if the account does not exist."
    unlockAccount(id: ID!): Account!
      @requires(permissions: "accounts:update") @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
    "Revokes all sessions of the account. Returns the number of revoked sessions, or NOT_FOUND if the account does not exist."
    endSessions(accountId: ID!): Int!
      @requires(permissions: "accounts:update") @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
  }`

export function administrationResolvers({
  permissions,
}: OfPolicy): Readonly<Record<'Query' | 'Mutation', Readonly<Record<string, Resolve>>>> {
  return {
    Query: { ...(permissions.includes('accounts:read') && { findAccounts }) },
    Mutation: { ...(permissions.includes('accounts:update') && { lockAccount, unlockAccount, endSessions }) },
  }
}

interface FindArguments {
  readonly text?: string | null
  readonly first: number | null
  readonly after?: string | null
}

interface AccountConnection {
  readonly nodes: readonly object[]
  readonly endCursor: string | null
  readonly hasNextPage: boolean
}

/** The bounds of `first` are limits of the document, as for any other list. */
async function findAccounts(
  _source: unknown,
  { text, first, after }: FindArguments,
  { accounts }: Context,
): Promise<AccountConnection> {
  const count = first ?? 20
  if (count === 0) return { nodes: [], endCursor: null, hasNextPage: false }
  const from = typeof after === 'string' ? readCursor(after) : null
  const { items, cursor } = await accounts.findAccounts({ text: text ?? null, first: count, after: from })
  const endCursor = cursor === null ? null : encodeBase64url(new TextEncoder().encode(cursor))
  return { nodes: items, endCursor, hasNextPage: endCursor !== null }
}

/** What a cursor is made of is the matter of the store: no database takes every character. */
function readCursor(after: string): string {
  const bytes = decodeBase64url(after)
  const cursor = bytes === null ? '' : new TextDecoder().decode(bytes)
  if (/^\P{Cc}{1,512}$/u.test(cursor)) return cursor
  throw new AccessError('BAD_USER_INPUT', {
    field: 'after',
    message: 'The cursor is not valid. Use the endCursor of a page.',
  })
}

type ById = { readonly id: string }

async function lockAccount(_source: unknown, { id }: ById, context: Context): Promise<object> {
  return found(await context.accounts.lockAccount({ id, ...actorOf(context) }))
}

async function unlockAccount(_source: unknown, { id }: ById, context: Context): Promise<object> {
  return found(await context.accounts.unlockAccount({ id, ...actorOf(context) }))
}

async function endSessions(
  _source: unknown,
  { accountId: id }: { readonly accountId: string },
  context: Context,
): Promise<number> {
  found(await context.accounts.get(id))
  return context.accounts.endSessions({ id, ...actorOf(context) })
}

function actorOf({ identity, attempt }: Context) {
  return { actorId: identity?.subject ?? null, attempt: attempt() }
}

function found<Value>(value: Value | null): Value {
  if (value === null) throw new AccessError('NOT_FOUND')
  return value
}
