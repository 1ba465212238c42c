import { type Access, type AuthContext, compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import { createIdentityReader } from '@latchkey/http'
import type { Identity } from '@latchkey/rbac'
import { createHandler } from 'graphql-http/lib/use/fetch'
import { describe, expect, test } from 'vitest'
import { admin, author, policy, schemaOf, type TestPolicy } from '../support/access-fixture.ts'

const accounts = [
  { id: 'author', email: 'a@example.com' },
  { id: 'other', email: 'o@example.com' },
]
const schema = schemaOf(
  `type Account { id: ID! @public, email: String @owner(of: "accounts") }
   type SignInPayload { account: Account @public }
   type Query { accounts: [Account!]! @public, viewer: String @authenticated, admin: String @requires(permissions: "accounts:read") }
   type Mutation { touch: [Account!] @authenticated, remove(id: ID!): Boolean @owner(of: "articles", argument: "id"), signIn: SignInPayload @public @credential }`,
  {
    Query: { accounts: () => accounts, viewer: () => 'you', admin: () => 'yes' },
    Mutation: {
      touch: () => accounts,
      remove: () => true,
      signIn: (_source, _args, { establish }: AuthContext<TestPolicy>) => {
        establish(author)
        return { account: accounts[1] }
      },
    },
  },
)
const identities = new Map<string, Identity>([
  ['author', author],
  ['admin', admin],
])
const tokenOf = (header: string | null): Identity | null => identities.get(header?.replace('Bearer ', '') ?? '') ?? null

const kept = (access: Access<TestPolicy>) =>
  createHandler({
    async onSubscribe(request, params) {
      const identity = tokenOf(request.raw.headers.get('authorization'))
      const verdict = await access.prepare(params, { identity, accept: request.raw.headers.get('accept') })
      return verdict.ok ? verdict.args : verdict.response
    },
  })
const ours = (access: Access<TestPolicy>) =>
  createGraphqlHandler({
    access,
    identify: createIdentityReader({ bearer: { verify: async (token) => tokenOf(token) } }),
  }).fetch

async function send(
  handle: (request: Request) => Promise<Response>,
  query: string,
  token: string | null,
  accept?: string,
) {
  const headers = new Headers({
    'content-type': 'application/json',
    accept: accept ?? 'application/graphql-response+json',
  })
  if (token) headers.set('authorization', `Bearer ${token}`)
  const request = new Request('https://example.com/graphql', {
    method: 'POST',
    headers,
    body: JSON.stringify({ query }),
  })
  const response = await handle(request)
  const body = await response.json()
  const codes = body.errors?.map((error: { extensions: { code: string } }) => error.extensions.code) ?? []
  return { status: response.status, body, codes, headers: response.headers }
}

describe.each([
  ['a kept graphql-http server', kept],
  ['the handler', ours],
] as const)('%s', (_what, serverOf) => {
  const handle = serverOf(compileAccess({ schema, policy }))

  test.each([
    ['{ accounts { id } }', null, 200, []],
    ['{ viewer }', null, 401, ['UNAUTHENTICATED']],
    ['{ viewer }', 'author', 200, []],
    ['{ a: admin b: admin }', 'author', 403, ['FORBIDDEN', 'FORBIDDEN']],
    ['{ admin }', 'admin', 200, []],
    ['mutation { remove(id: 1) }', 'author', 200, []],
    ['mutation { remove(id: 7) }', 'author', 403, ['FORBIDDEN']],
    ['mutation { remove(id: 404) }', 'author', 403, ['FORBIDDEN']],
    ['mutation { remove(id: 404) }', 'admin', 200, []],
    ['{ nope }', null, 400, ['GRAPHQL_VALIDATION_FAILED']],
  ] as const)('answers %s by %s with %d', async (query, token, status, codes) => {
    const answer = await send(handle, query, token)
    expect([answer.status, answer.codes]).toEqual([status, codes])
    expect('data' in answer.body).toBe(status === 200)
    expect(answer.headers.get('www-authenticate') !== null).toBe(status === 401)
  })

  test('answers older clients in their media type', async () => {
    const { status, headers } = await send(handle, '{ viewer }', null, 'application/json')
    expect([status, headers.get('content-type')]).toEqual([401, 'application/json; charset=utf-8'])
    expect((await send(handle, '{ nope }', null, 'application/json')).status).toBe(200)
  })
})

describe('ownership refused below the root', () => {
  const reject = ours(compileAccess({ schema, policy }))
  const partial = ours(compileAccess({ schema, policy, ownership: 'partial' }))
  const query = '{ accounts { email } }'
  const data = { accounts: [{ email: 'a@example.com' }, { email: null }] }

  test('rejects a query as a whole', async () => {
    const { status, body, codes } = await send(reject, query, 'author')
    expect([status, codes, 'data' in body]).toEqual([403, ['FORBIDDEN'], false])
  })

  test('leaves the field null where answers are partial', async () => {
    const { status, body, codes } = await send(partial, query, 'author')
    expect([status, codes, body.data]).toEqual([200, ['FORBIDDEN'], data])
  })

  test.each([reject, partial])(
    'sets the field to null below a mutation, because the effect has happened',
    async (handle) => {
      const { status, body } = await send(handle, 'mutation { touch { email } }', 'author')
      expect([status, body.data]).toEqual([200, { touch: data.accounts }])
      expect(body.errors[0].path).toEqual(['touch', 1, 'email'])
    },
  )

  test('leaves the field null below a credential field', async () => {
    const access = compileAccess({ schema, policy })
    const handle = kept(access)
    const { status, body, codes } = await send(handle, 'mutation { signIn { account { id email } } }', null)
    expect([status, body.data, codes]).toEqual([
      200,
      { signIn: { account: { id: 'other', email: null } } },
      ['FORBIDDEN'],
    ])
  })
})
