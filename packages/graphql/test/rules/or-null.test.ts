import { type AuthContext, compileAccess, reportAccess } from '@latchkey/graphql'
import type { Identity } from '@latchkey/rbac'
import { beforeEach, describe, expect, test } from 'vitest'
import { ask, author, identityOf, machine, policy, schemaOf, type TestPolicy } from '../support/access-fixture.ts'

const thirdParty = (...scopes: string[]): Identity => identityOf('author', 'AUTHOR', { scopes, firstParty: false })
const resolved: string[] = []
const account = { id: 'author', email: 'a@example.com', role: 'AUTHOR' }
const current = (_source: never, _args: never, { identity }: AuthContext<TestPolicy>) => {
  resolved.push('session')
  return { id: identity?.key ?? 'none', account }
}
const sdl = `
  interface Named { id: ID! @public }
  type Account implements Named {
    id: ID! @public
    role: String @authenticated
    email: String @owner(of: "accounts")
    drafts: String @requires(permissions: "articles:publish")
  }
  type Session { id: ID! @public, account: Account! @public }
  type Query {
    session: Session @authenticated @scope(anyOf: "openid") @beforeEnrollment @orNull
    robot: Session @client @orNull
    viewer: Account @authenticated @scope(anyOf: "openid")
    hello: String @public
    query: Query @public
  }
  type Mutation { signIn: Account @public @credential }`
const access = compileAccess({
  policy,
  schema: schemaOf(sdl, {
    Query: { session: current, robot: current, viewer: () => account, hello: () => 'hello', query: () => ({}) },
  }),
})
const dataOf = async (query: string, identity: Identity | null, variables = {}) => {
  const { codes, paths, result } = await ask(access, query, identity, { variables })
  return codes.length > 0 ? codes.map((code, at) => `${code} ${paths[at]}`) : JSON.parse(JSON.stringify(result?.data))
}
beforeEach(() => {
  resolved.length = 0
})

describe('a field with @orNull', () => {
  test.each([
    ['nobody', null],
    ['a machine', machine],
    ['a grant without the scope', thirdParty('articles:read')],
  ])('is null to %s, is not resolved, and the fields below it are not checked', async (_who, identity) => {
    expect(await dataOf('{ session { id account { role email drafts } } }', identity)).toEqual({ session: null })
    expect(resolved).toEqual([])
  })

  test.each([
    '{ a: session { account { role } } b: session { account { email } } }',
    'query ($on: Boolean = true) { a: session @include(if: $on) { account { role } } b: session { id } }',
    '{ ... { a: session { ...Of } } ...Root } fragment Of on Session { account { role } } fragment Root on Query { b: session { ...Of } }',
    '{ a: session { account { ... on Named { ... on Account { role } } } } b: session { id } }',
  ])('is null without an identity in aliases, fragments and directives: %s', async (query) => {
    expect(await dataOf(query, null)).toEqual({ a: null, b: null })
  })

  test('is null without an identity in a nested Query', async () => {
    expect(await dataOf('{ query { session { account { role } } } }', null)).toEqual({ query: { session: null } })
  })

  test('is resolved for an identity that satisfies its rule, and the fields below it are checked', async () => {
    expect(await dataOf('{ session { account { role email } } }', author)).toEqual({
      session: { account: { role: 'AUTHOR', email: 'a@example.com' } },
    })
    expect(await dataOf('{ session { account { drafts } } }', author)).toEqual(['FORBIDDEN session.account.drafts'])
    expect(await dataOf('{ session { id account { id } } }', thirdParty('openid'))).toEqual({
      session: { id: 'none', account: { id: 'author' } },
    })
    expect(await dataOf('{ session { account { role } } }', thirdParty('openid'))).toEqual([
      'FORBIDDEN session.account.role',
    ])
    expect(await dataOf('{ robot { id } session { id } }', machine)).toEqual({ robot: { id: 'none' }, session: null })
  })

  test.each([
    ['{ session { account { role } } viewer { role } }', 'UNAUTHENTICATED viewer', 'UNAUTHENTICATED viewer.role'],
    [
      'query ($on: Boolean = true) { session { account { ...A } } viewer @include(if: $on) { ...A } } fragment A on Account { role }',
      'UNAUTHENTICATED viewer',
      'UNAUTHENTICATED viewer.role',
    ],
    [
      '{ session { account { ...A } } viewer { ...A } } fragment A on Account { role }',
      'UNAUTHENTICATED viewer',
      'UNAUTHENTICATED viewer.role',
    ],
  ])('opens no other field of the operation without an identity: %s', async (query, ...refused) => {
    expect(await dataOf(query, null)).toEqual(refused)
    expect(resolved).toEqual([])
  })

  test('is decided again for each request of a document that is kept', async () => {
    const query = '{ session { account { role } } }'
    for (const [identity, isNull] of [
      [null, true],
      [author, false],
      [machine, true],
      [author, false],
    ] as const)
      expect((await dataOf(query, identity)).session === null).toBe(isNull)
  })

  test('makes the response of an operation different for each user', async () => {
    expect((await ask(access, '{ session { id } }')).prepared.plan?.requiresIdentity).toBe(true)
  })

  test('is in the report with the rule, and null instead of a refusal', () => {
    const row = reportAccess(access).rows.find(({ coordinate }) => coordinate === 'Query.session')
    expect(row).toEqual({
      coordinate: 'Query.session',
      rule: 'authenticated; scope openid; before enrollment; or null',
      outcomes: {
        anonymous: 'null',
        READER: 'yes',
        AUTHOR: 'yes',
        EDITOR: 'yes',
        ADMIN: 'yes',
        'third party without scopes': 'null',
        'before enrollment': 'yes',
      },
    })
  })
})

test.each([
  ['type Query { a: String @orNull }', 'the rule asks for nothing'],
  ['type Query { a: String! @authenticated @orNull }', 'Query.a: "orNull" needs a type that can be null'],
  [
    'type Query { a: A @public } type A { b: String @authenticated @orNull }',
    'A.b: "orNull" stands on fields of Query',
  ],
  [
    'type Query { a: String @public } type Mutation { a: String @authenticated @orNull }',
    'Mutation.a: "orNull" stands',
  ],
  ['type Query { a: String @public @orNull }', '"orNull" cannot stand beside public'],
  ['type Query { a: String @requires(permissions: "articles:read") @orNull }', 'cannot stand beside permissions'],
  ['type Query { a(id: ID): String @owner(of: "articles", argument: "id") @orNull }', 'cannot stand beside owner'],
  ['type Query { a: String @stepUp(maxAgeSeconds: 300) @orNull }', 'cannot stand beside stepUp'],
  ['type Query { a: String @authenticated @credential @orNull }', 'cannot stand beside credential'],
])('@orNull is refused at start-up in %s', (text, problem) => {
  expect(() => compileAccess({ policy, schema: schemaOf(text) })).toThrow(problem)
})

test('"orNull" of a type is refused in a map of rules', () => {
  const schema = schemaOf('type Query { a: A @public } type A { b: String @authenticated }')
  const rules = { A: { authenticated: true, orNull: true } } as const
  expect(() => compileAccess({ policy, schema, rules })).toThrow('A: "orNull" stands on fields of Query')
})
