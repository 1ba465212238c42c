import { AccessError, type AuthContext, compileAccess, reportAccess } from '@latchkey/graphql'
import type { Identity, IdentityInput } from '@latchkey/rbac'
import { describe, expect, test } from 'vitest'
import { ask, identityOf, now, policy, schemaOf, type TestPolicy } from '../support/access-fixture.ts'

const restrictedAs = (role: string, more: Partial<IdentityInput> = {}): Identity =>
  identityOf('author', role, { mustEnroll: true, factors: [{ kind: 'password', at: now }], ...more })
const restricted = restrictedAs('ADMIN')
const machine = identityOf('machine', '', { kind: 'client', roles: [], scopes: ['articles:read'], mustEnroll: true })

type Context = AuthContext<TestPolicy>
const account = { id: 'author', name: 'A', email: 'a@example.com', role: 'ADMIN' }
const sdl = `
  type Account {
    id: ID! @public
    email: String @owner(of: "accounts", unless: "accounts:read")
    address: String @owner(of: "accounts") @beforeEnrollment
    role: String @authenticated
  }
  type Private @authenticated { text: String @authenticated }
  type Opened @authenticated @beforeEnrollment { text: String @authenticated @beforeEnrollment }
  type Query {
    hello: String @public
    viewer: Account @authenticated @beforeEnrollment
    account: Account @authenticated
    articles: String @requires(permissions: "articles:read")
    owned(id: ID!): String @owner(of: "articles", argument: "id")
    kept(id: ID!): String @owner(of: "articles", argument: "id") @beforeEnrollment
    fresh: String @stepUp(maxAgeSeconds: 300, ifEnrolled: true)
    firstParty: String @firstParty
    scoped: String @scope(anyOf: "openid")
    machine: String @client
    private: Private @authenticated @beforeEnrollment
    opened: Opened @authenticated @beforeEnrollment
    asks: String @public
  }
  type Mutation {
    start: String @authenticated @firstParty @stepUp(maxAgeSeconds: 300, ifEnrolled: true) @beforeEnrollment
    finish: String @authenticated @beforeEnrollment
    close: String @authenticated
    signIn: Account @public @credential
    openPrivate: Private @public @credential
  }
  type Subscription { noted: String @authenticated, enrolled: String @authenticated @beforeEnrollment }`

const signIn = (_source: never, _args: never, { establish }: Context) => {
  establish(restricted)
  return { ...account, text: 'secret' }
}
const access = compileAccess({
  policy,
  now: () => now,
  schema: schemaOf(sdl, {
    Query: {
      hello: () => 'hello',
      viewer: () => account,
      account: () => account,
      opened: () => ({ text: 'opened' }),
      kept: () => 'kept',
      asks: (_source, _args, { authorize }: Context) => authorize('authenticated').subject,
    },
    Mutation: { start: () => 'started', finish: () => 'finished', signIn, openPrivate: signIn },
  }),
})

const errorsOf = async (query: string, identity: Identity | null) => {
  const { prepared, result } = await ask(access, query, identity)
  const errors = prepared.ok ? (result?.errors ?? []) : prepared.errors
  return errors.map(({ message, extensions }) => ({ message, extensions }))
}
const refusal = {
  message: 'Set up a second factor to continue.',
  extensions: { code: 'FORBIDDEN', reason: 'enrollment-required' },
}

describe('an account that has to set up a second factor first', () => {
  test.each([
    '{ account { id } }',
    '{ articles }',
    '{ owned(id: "1") }',
    '{ fresh }',
    '{ firstParty }',
    '{ scoped }',
    '{ viewer { email } }',
    '{ viewer { role } }',
    'mutation { close }',
    'subscription { noted }',
    '{ hello viewer { id } articles }',
  ])('is refused with the reason enrollment-required only: %s', async (query) => {
    expect(await errorsOf(query, restricted)).toEqual([refusal])
    expect(await errorsOf(query, restrictedAs('READER'))).toEqual([refusal])
  })

  test('is refused an unmarked returned type of a marked field', async () => {
    expect(await errorsOf('{ private { text } }', restricted)).toEqual([refusal, refusal])
  })

  test.each([
    ['{ hello }', { hello: 'hello' }],
    ['{ viewer { id } }', { viewer: { id: 'author' } }],
    ['{ viewer { address } }', { viewer: { address: null } }],
    ['{ kept(id: "1") }', { kept: 'kept' }],
    ['{ opened { text } }', { opened: { text: 'opened' } }],
    ['mutation { start }', { start: 'started' }],
    ['mutation { finish }', { finish: 'finished' }],
  ])('can read a marked field: %s', async (query, data) => {
    const { result, codes } = await ask(access, query, restricted)
    expect([codes, JSON.parse(JSON.stringify(result?.data))]).toEqual([[], data])
  })

  test('is held to the rest of a rule that is marked', async () => {
    expect((await ask(access, '{ kept(id: "7") }', restricted)).verdict).toBe('FORBIDDEN')
    const old = restrictedAs('READER', { factors: [{ kind: 'password', at: now - 301_000 }] })
    expect((await ask(access, 'mutation { start }', old)).verdict).toBe('STEP_UP_REQUIRED')
    const thirdParty = restrictedAs('READER', { scopes: ['openid'], firstParty: false })
    expect((await ask(access, 'mutation { finish }', thirdParty)).verdict).toBe('FORBIDDEN')
  })

  test('is refused by authorize, except for a marked rule', async () => {
    expect(await errorsOf('{ asks }', restricted)).toEqual([expect.objectContaining(refusal)])
    expect(() => access.authorize(restricted, 'authenticated')).toThrow('Set up a second factor to continue.')
    expect(() => access.authorize(restricted, { permissions: 'articles:read' })).toThrow(AccessError)
    expect(access.authorize(restricted, { authenticated: true, beforeEnrollment: true })).toBe(restricted)
  })

  test('gets FORBIDDEN without a reason if enrollment would not help', async () => {
    expect(await errorsOf('{ machine }', restricted)).toEqual([
      { message: 'You do not have permission to do this.', extensions: { code: 'FORBIDDEN' } },
    ])
  })

  test('is refused below the sign-in, which has happened', async () => {
    const { result } = await ask(access, 'mutation { signIn { id email role } }')
    expect(result?.data).toMatchObject({ signIn: { id: 'author', email: null, role: null } })
    const [first, second, ...others] = result?.errors ?? []
    expect(others).toEqual([])
    for (const error of [first, second]) expect(error).toMatchObject(refusal)
    expect((await ask(access, 'mutation { openPrivate { text } }')).result?.errors?.[0]).toMatchObject(refusal)
  })
})

test('a machine and an account that may enroll later are not refused', async () => {
  expect((await ask(access, '{ articles }', machine)).verdict).toBe('executed')
  const soon = identityOf('author', 'READER', { enrollmentDueAt: now + 1000 })
  for (const query of ['{ articles }', '{ viewer { id } }', 'mutation { close }']) {
    expect((await ask(access, query, soon)).verdict).toBe('executed')
  }
})

test('without an identity it is 401, marked or not', async () => {
  for (const query of ['{ viewer { id } }', '{ account { id } }']) {
    expect((await ask(access, query)).verdict).toBe('UNAUTHENTICATED')
  }
})

test('reportAccess has the column "before enrollment" for a marked rule, and a closed mutation stays closed', () => {
  const { rows, columns } = reportAccess(access)
  expect(columns.at(-1)).toBe('before enrollment')
  const open = rows
    .filter(({ outcomes }) => outcomes['before enrollment'] !== '403')
    .map(({ coordinate }) => coordinate)
  expect(open).toEqual([
    'Account.address',
    'Account.id',
    'Mutation.finish',
    'Mutation.signIn',
    'Mutation.start',
    'Opened.text',
    'Query.asks',
    'Query.hello',
    'Query.kept',
    'Query.opened',
    'Query.viewer',
    'Subscription.enrolled',
  ])
  const finish = rows.find(({ coordinate }) => coordinate === 'Mutation.finish')
  expect(finish?.rule).toBe('authenticated; before enrollment; first party; before enrollment')
})

test('@beforeEnrollment without @authenticated or @owner is refused', () => {
  const compile = (field: string) => () => compileAccess({ policy, schema: schemaOf(`type Query { ${field} }`) })
  expect(compile('a: String @beforeEnrollment')).toThrow('Query.a: the rule asks for nothing')
  expect(compile('a: String @public @beforeEnrollment')).toThrow('lets no one in beside public')
  expect(compile('a: String @requires(permissions: "articles:read") @beforeEnrollment')).toThrow('beside permissions')
})
