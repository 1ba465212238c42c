import { decodeBase64url, encodeBase64url } from '@latchkey/bytes'
import { AccessError } from '@latchkey/graphql'
import type { AnyPolicy } from '@latchkey/rbac'
import type { Context, Input } from '../../schema/account-payloads.ts'
import { roleType } from '../../schema/account-types.ts'
import type { SchemaOffer, SchemaPart } from '../../schema/schema-offer.ts'

/** Returns the operations of administrators. An operation whose permission the policy does not name is omitted. */
export function administrationSchema({ policy, rolesChange }: SchemaOffer): SchemaPart {
  const mayRead = policy.permissions.includes('accounts:read')
  const mayUpdate = policy.permissions.includes('accounts:update')
  const update = { setRole: createSetRole(policy), lockAccount, unlockAccount, endSessions }
  return {
    typeDefs: `${mayRead ? finding : ''}${mayUpdate ? changing(roleType({ rolesChange })) : ''}`,
    resolvers: { Query: { ...(mayRead && { accounts, findAccounts }) }, Mutation: { ...(mayUpdate && update) } },
  }
}

const finding = /* GraphQL */ `
  type AccountConnection {
    nodes: [Account!]! @public
    "Cursor to pass as after; null on the last page."
    endCursor: ID @public
    hasNextPage: Boolean! @public
  }
  type Query {
    "Accounts, one page of at most first."
    accounts(first: Int = 10): [Account!]! @requires(permissions: "accounts:read")
    "Finds accounts by part of the address, name or ID. Lists all accounts without a text."
    findAccounts(text: String, first: Int = 20, after: ID): AccountConnection! @requires(permissions: "accounts:read")
  }`

const changing = (role: string): string => /* GraphQL */ `
  input SetRoleInput { accountId: ID! role: ${role}! }
  type Mutation {
    "Sets the role of an account, effective immediately: the account must sign in again. NOT_FOUND if the account does not exist."
    setRole(input: SetRoleInput!): Account!
      @requires(permissions: "accounts:update") @firstParty
      @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
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
async function accounts(_source: unknown, { first }: { first: number | null }, context: Context): Promise<unknown> {
  const limit = first ?? 10
  return limit === 0 ? [] : (await context.accounts.list({ limit })).items
}

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

/** Checks a cursor only for characters that no database accepts. The store defines its content. */
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

/** Roles that change are not an enum, so the role is checked when it is set. */
function createSetRole(policy: AnyPolicy) {
  return async (
    _source: unknown,
    { input: { accountId, role } }: Input<{ accountId: string; role: string }>,
    { accounts, roles, identity, attempt }: Context,
  ): Promise<unknown> => {
    await roles?.refresh()
    if (!Object.hasOwn(policy.currentRoles(), role)) {
      throw new AccessError('BAD_USER_INPUT', { field: 'input.role', message: 'The role does not exist.' })
    }
    const actorId = identity?.subject ?? null
    return found(await accounts.setRoles({ id: accountId, roles: [role], actorId, attempt: attempt() }))
  }
}
