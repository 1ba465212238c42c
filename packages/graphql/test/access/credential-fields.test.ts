import { AccessError, type AuthContext, compileAccess } from '@latchkey/graphql'
import type { Identity } from '@latchkey/rbac'
import { beforeEach, describe, expect, test } from 'vitest'
import { admin, ask, author, identityOf, policy, reader, schemaOf, type TestPolicy } from '../support/access-fixture.ts'

const ran: string[] = []
const accounts = new Map<string, Identity>([
  ['author', author],
  ['reader', reader],
])
type Context = AuthContext<TestPolicy>
const account = { id: 'author', name: 'A', email: 'a@example.com' }
const sdl = `
  interface Payload { ok: Boolean @public }
  type SignInPayload implements Payload { ok: Boolean @public, account: Account @public, whoAmI: String @public, query: Query @public }
  type Account {
    id: ID! @public
    name: String @authenticated
    email: String @owner(of: "accounts", unless: "accounts:read")
    publish: String @requires(permissions: "articles:publish")
    fresh: String @stepUp(maxAgeSeconds: 300)
    comment(id: ID): String @owner(of: "comments", argument: "id")
    id2: ID! @authenticated
  }
  type Private @authenticated { text: String @authenticated }
  type Query { hello: String @public, viewer: Account @authenticated, challenge: String @public @credential, self: Query @public }
  type Mutation {
    signIn(as: String, how: String): SignInPayload @public @credential
    openPrivate(as: String): Private @public @credential
    changePassword: SignInPayload @authenticated @firstParty @credential
    delete(id: ID!): Boolean @owner(of: "articles", argument: "id") @credential
    other: Boolean @public
  }`
const signIn =
  (name: string) =>
  (_source: never, { as }: { as?: string }, context: Context) => {
    ran.push(name)
    if (as === 'wrong') throw new AccessError('INVALID_CREDENTIALS')
    if (as) context.establish(accounts.get(as) ?? null)
    return { ok: true, account, whoAmI: () => context.identity?.subject ?? 'no one', query: {} }
  }
const access = compileAccess({
  policy,
  schema: schemaOf(sdl, {
    Mutation: {
      signIn: signIn('signIn'),
      openPrivate: async (source, args: never, context: Context) =>
        Object.assign(signIn('openPrivate')(source, args, context), { text: 't' }),
      changePassword: signIn('changePassword'),
      delete: () => true,
      other: () => ran.push('other'),
    },
    Query: { challenge: () => 'c', viewer: () => account, hello: () => 'hi', self: () => ({}) },
    Account: {
      publish: () => 'p',
      fresh: () => 'f',
      comment: () => 'c',
      email: (given: typeof account) => {
        ran.push('email')
        return given.email
      },
    },
  }),
})

beforeEach(() => {
  ran.length = 0
})

describe('a credential field must be the only root field:', () => {
  test.each([
    'mutation { signIn { ok } other }',
    'mutation { other signIn { ok } }',
    'mutation { a: signIn { ok } b: signIn { ok } }',
    'mutation { signIn { ok } b: signIn { ok } }',
    'mutation { signIn { ok } __typename }',
    'mutation { ...F other } fragment F on Mutation { signIn { ok } }',
    'mutation { ...F ...G } fragment F on Mutation { signIn { ok } } fragment G on Mutation { a: signIn { ok } }',
    'mutation { signIn { ok } a: signIn @skip(if: true) { ok } }',
    'mutation($no: Boolean = false) { signIn { ok } a: signIn @include(if: $no) { ok } }',
    'mutation { __proto__: signIn { ok } constructor: signIn { ok } }',
    'mutation { signIn { query { challenge } } }',
    '{ self { challenge } }',
    '{ challenge hello }',
  ])('%s is refused', async (query) => {
    expect((await ask(access, query)).verdict).toBe('QUERY_LIMIT_EXCEEDED')
    expect(ran).toEqual([])
  })

  test.each([
    'mutation { signIn { ok } }',
    'mutation { a: signIn { ok } }',
    'mutation { ...F } fragment F on Mutation { signIn { ok } }',
    'mutation { signIn { ok } signIn { whoAmI } }',
    'mutation { ... on Mutation { signIn { __typename } } }',
    '{ challenge }',
    'query A { challenge } query B { hello }',
  ])('%s is not', async (query) => {
    const { verdict, prepared } = await ask(
      access,
      query,
      null,
      query.startsWith('query') ? { operationName: 'A' } : {},
    )
    expect([verdict, prepared.plan?.credential]).toEqual(['executed', true])
  })
})

test('a credential field is never answered over GET, and not after a forged request', async () => {
  expect((await ask(access, '{ challenge }', null, { input: { method: 'GET' } })).verdict).toBe('METHOD_NOT_ALLOWED')
  expect((await ask(access, 'mutation { signIn { ok } }', null, { input: { method: 'GET' } })).verdict).toBe(
    'METHOD_NOT_ALLOWED',
  )
  expect((await ask(access, 'mutation { signIn { ok } }', null, { input: { forged: true } })).verdict).toBe(
    'CSRF_REJECTED',
  )
  expect((await ask(access, 'mutation { other }', null, { input: { forged: true } })).verdict).toBe('executed')
})

class PresentedToken {
  readonly identity = author
  readonly credential = 'cookie'
  readonly #isShown: boolean
  constructor(isShown: boolean) {
    this.#isShown = isShown
  }
  csrf(): boolean {
    return this.#isShown
  }
}

test('a mutation over a cookie is refused if csrf, as a function or a method, does not find the token', async () => {
  const verdictOf = async (input: Parameters<typeof access.prepare>[1]): Promise<unknown> => {
    const prepared = await access.prepare({ query: 'mutation { other }' }, input)
    return prepared.ok || prepared.errors[0]?.extensions.code
  }
  const plain = { identity: author, credential: 'cookie' } as const
  expect(await verdictOf({ ...plain, csrf: () => false })).toBe('CSRF_REJECTED')
  expect(await verdictOf({ ...plain, csrf: () => true })).toBe(true)
  expect(await verdictOf(new PresentedToken(false))).toBe('CSRF_REJECTED')
  expect(await verdictOf(new PresentedToken(true))).toBe(true)
  // The server around it checks the token.
  expect(await verdictOf(plain)).toBe(true)
})

describe('a field below a credential field is checked against the identity that signed in:', () => {
  const below = 'account { id name email publish fresh comment(id: 1) }'
  const none = { name: null, email: null, publish: null, fresh: null, comment: null }

  test('the owner of the account', async () => {
    const { result, codes, paths } = await ask(access, `mutation { signIn(as: "author") { whoAmI ${below} } }`)
    expect(result?.data).toEqual({
      signIn: {
        whoAmI: 'author',
        account: { ...none, id: 'author', name: 'A', email: 'a@example.com', comment: 'c' },
      },
    })
    expect([codes, paths]).toEqual([
      ['FORBIDDEN', 'FORBIDDEN'],
      ['signIn.account.publish', 'signIn.account.fresh'],
    ])
  })

  test('another account', async () => {
    const { result } = await ask(access, `mutation { signIn(as: "reader") { ${below} } }`)
    expect(result?.data).toEqual({ signIn: { account: { ...none, id: 'author', name: 'A' } } })
    expect(ran).toEqual(['signIn'])
  })

  test('no identity, if a second factor is still missing', async () => {
    const { result, codes } = await ask(access, `mutation { signIn { whoAmI ${below} query { hello viewer { id } } } }`)
    expect(result?.data).toEqual({
      signIn: { whoAmI: 'no one', account: { ...none, id: 'author' }, query: { hello: 'hi', viewer: null } },
    })
    expect(codes).toEqual(Array.from({ length: 6 }, () => 'FORBIDDEN'))
    expect(ran).toEqual(['signIn'])
  })

  test('the identity of the request, if the field establishes no other', async () => {
    const { result } = await ask(access, 'mutation { changePassword { whoAmI account { name email } } }', author)
    expect(result?.data).toEqual({
      changePassword: { whoAmI: 'author', account: { name: 'A', email: 'a@example.com' } },
    })
  })

  test('the new one, where another account was signed in before', async () => {
    const { result } = await ask(
      access,
      'mutation { signIn(as: "reader") { whoAmI account { email publish } } }',
      admin,
    )
    expect(result?.data).toEqual({ signIn: { whoAmI: 'reader', account: { email: null, publish: null } } })
  })

  test('no identity, after signing out', async () => {
    const { result } = await ask(access, 'mutation { signIn(as: "no one") { whoAmI account { name } } }', author)
    expect(result?.data).toEqual({ signIn: { whoAmI: 'no one', account: { name: null } } })
  })

  test('on every path to it', async () => {
    const query = `mutation { signIn { ...F } } fragment F on Payload { ... on SignInPayload { a: account { ...G } account { n: name } } }
      fragment G on Account { name }`
    const { result } = await ask(access, query)
    expect(result?.data).toEqual({ signIn: { a: { name: null }, account: { n: null } } })
  })

  test('a field that cannot be null takes its parent with it', async () => {
    const { result, codes } = await ask(access, 'mutation { signIn { ok account { id2 } } }')
    expect([result?.data, codes]).toEqual([{ signIn: { ok: true, account: null } }, ['FORBIDDEN']])
  })

  test('the type that it returns as well', async () => {
    const query = 'mutation($as: String) { openPrivate(as: $as) { text } }'
    expect((await ask(access, query, null, { variables: { as: 'author' } })).result?.data).toEqual({
      openPrivate: { text: 't' },
    })
    const { result, codes } = await ask(access, query, null, { variables: { as: 'no one' } })
    expect([result?.data, codes]).toEqual([{ openPrivate: null }, ['FORBIDDEN']])
  })
})

describe('the credential field itself', () => {
  test('is decided before anything executes', async () => {
    expect((await ask(access, 'mutation { changePassword { ok } }')).verdict).toBe('UNAUTHENTICATED')
    const granted = policy.identify({ subject: 'author', roles: ['AUTHOR'], scopes: [] })
    expect((await ask(access, 'mutation { changePassword { ok } }', granted)).verdict).toBe('FORBIDDEN')
    expect((await ask(access, 'mutation { delete(id: 7) }', author)).verdict).toBe('FORBIDDEN')
    expect(ran).toEqual([])
    expect((await ask(access, 'mutation { delete(id: 1) }', author)).codes).toEqual([])
  })

  test('reports whether it needed an identity, for a wrong secret', async () => {
    expect((await ask(access, 'mutation { signIn(as: "wrong") { ok } }')).prepared.plan?.requiresIdentity).toBe(false)
    expect((await ask(access, 'mutation { changePassword { ok } }', author)).prepared.plan?.requiresIdentity).toBe(true)
  })
})

describe('establish', () => {
  test('takes only an identity that the policy made', async () => {
    const given: unknown[] = []
    const strict = compileAccess({
      policy,
      schema: schemaOf('type Query { a: String @public @credential }', {
        Query: {
          a: (_source, _args, context: Context) => {
            for (const identity of [{ ...author }, {}, 'author']) {
              expect(() => context.establish(identity as never)).toThrow(TypeError)
            }
            context.establish(identityOf('author', 'AUTHOR'))
            given.push(context.identity?.subject)
            return 'a'
          },
        },
      }),
    })
    expect((await ask(strict, '{ a }')).codes).toEqual([])
    expect(given).toEqual(['author'])
  })

  test('belongs to credential fields: elsewhere the plan has spoken', async () => {
    const plain = compileAccess({
      policy,
      schema: schemaOf('type Query { a: String @public }', {
        Query: { a: (_source, _args, context: Context) => context.establish(author) },
      }),
    })
    const { result } = await ask(plain, '{ a }')
    expect(result?.errors?.[0]?.message).toContain('"establish" belongs')
  })
})
