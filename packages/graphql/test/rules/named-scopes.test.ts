import {
  AccessError,
  type AuthContext,
  compileAccess,
  createGraphqlHandler,
  createSubscriptions,
} from '@latchkey/graphql'
import { createPublishedScopes, neededScopes, scopeHolderOf, unknownHolder } from '@latchkey/graphql/internal'
import { createIdentityReader } from '@latchkey/http'
import { definePolicy, type Identity } from '@latchkey/rbac'
import fc from 'fast-check'
import { GraphQLError } from 'graphql'
import { describe, expect, test } from 'vitest'
import { ask, identityOf, policy, schemaOf, type TestPolicy } from '../support/access-fixture.ts'

const sdl = `
  type Account {
    id: ID! @public
    mail: String @owner(of: "accounts", unless: "accounts:read") @scope(anyOf: [["email"], ["accounts:read"]])
    email: String @scope(anyOf: [["email"], ["accounts:read"]])
  }
  type Desk {
    remove(id: ID!): String
      @owner(of: "comments", argument: "id", unless: "comments:delete")
      @scope(anyOf: [["articles:update"], ["comments:delete"]])
  }
  type Query {
    desk: Desk @public
    other: Account @public
    ownSearch: String @firstParty @requires(permissions: "articles:read")
    asking: String @public
    hello: String @public
    me: Account @authenticated @scope(anyOf: "openid")
    maybe: Account @authenticated @scope(anyOf: "openid") @orNull
    plain: String @authenticated
    own: String @firstParty
    owning(owner: String): String @public
    more: Account @scope(anyOf: "comments:delete") @orNull
    search: String @requires(permissions: "articles:read")
    both: String @requires(permissions: [["articles:read", "articles:publish"], ["accounts:read"]])
    bypass: String @requires(permissions: "ownership:bypass")
    machines: String @client @requires(permissions: "articles:read")
  }
  type Mutation {
    update(id: ID!): String @requires(permissions: "articles:update") @owner(of: "articles", argument: "id")
    delete(id: ID!): String
      @owner(of: "comments", argument: "id", unless: "comments:delete")
      @scope(anyOf: [["articles:update"], ["comments:delete"]])
  }`
const account = { id: 'author', email: 'a@example.com' }
const access = compileAccess({
  policy,
  schema: schemaOf(sdl, {
    Query: {
      me: () => account,
      maybe: () => account,
      more: () => account,
      other: () => ({ id: 'other', mail: 'o@example.com' }),
      desk: () => ({ remove: 'removed' }),
      owning: (_source: never, { owner }: { owner: string }, { authorize }: AuthContext<TestPolicy>) =>
        authorize({ permissions: 'articles:update', owner: { of: 'articles' } }, { owner }).subject,
      asking: (_source: never, _args: never, { authorize }: AuthContext<TestPolicy>) =>
        authorize({ permissions: 'articles:read' }).subject,
    },
  }),
})
const publishedScopes = [
  ...['openid', 'email', 'articles:read', 'articles:update', 'articles:publish', 'comments:delete', 'accounts:read'],
]

const granted = (role: string, ...scopes: string[]) => identityOf('author', role, { scopes, firstParty: false })

async function refusalOf(query: string, identity: Identity | null, scopes: readonly string[] = publishedScopes) {
  const { prepared, result } = await ask(access, query, identity, { input: { publishedScopes: scopes } })
  if (prepared.ok) return result?.errors ? { extensions: result.errors[0]?.extensions, headers: {} } : null
  return { extensions: prepared.errors[0]?.extensions, headers: prepared.response[1].headers ?? {} }
}

const challengeOf = async (...asked: Parameters<typeof refusalOf>) =>
  (await refusalOf(...asked))?.headers['www-authenticate'] ?? null

describe('a refusal of a grant that is too narrow', () => {
  test.each([
    ['a permission', '{ search }', 'ADMIN', ['openid'], 'articles:read'],
    ['what the grant has beside what it lacks', '{ search me { id } }', 'ADMIN', ['openid'], 'openid articles:read'],
    ['the shortest alternative', '{ both }', 'ADMIN', [], 'accounts:read'],
    ['the alternative that lacks the fewest', '{ both }', 'ADMIN', ['articles:read'], 'accounts:read'],
    ['the alternative within the role', '{ both }', 'EDITOR', [], 'articles:read articles:publish'],
    ['the first of equal alternatives', '{ me { email } }', 'ADMIN', [], 'openid email'],
    ['the alternative that the grant has', '{ me { email } }', 'ADMIN', ['accounts:read'], 'openid accounts:read'],
    ['one scope for two fields', '{ both me { email } }', 'ADMIN', [], 'openid accounts:read'],
    ['nothing of a field that stays null', '{ maybe { email } search }', 'READER', [], 'articles:read'],
    ['what is needed below a field that opens', '{ maybe { email } me { id } }', 'READER', [], 'openid email'],
    [
      'the scopes of a field below the root',
      '{ desk { remove(id: 7) } }',
      'EDITOR',
      ['articles:update'],
      'articles:update comments:delete',
    ],
    [
      'what is needed below a field that the permission in the place of ownership opens',
      '{ more { email } desk { remove(id: 7) } }',
      'EDITOR',
      ['articles:update'],
      'email comments:delete',
    ],
    [
      'an owned resource by another permission',
      'mutation { delete(id: 7) }',
      'EDITOR',
      ['articles:update'],
      'articles:update comments:delete',
    ],
  ] as const)('names %s: %s', async (_what, query, role, scopes, expected) => {
    const identity = granted(role, ...scopes)
    const { extensions, headers } = (await refusalOf(query, identity)) ?? {}
    expect(extensions).toEqual({ code: 'FORBIDDEN', challenge: 'insufficient_scope', scopes: expected.split(' ') })
    // The handler sets the headers of errors during execution.
    if (query.includes('desk')) return
    expect(headers?.['www-authenticate']).toBe(
      `Bearer realm="graphql", error="insufficient_scope", scope="${expected}"`,
    )
  })

  test.each([
    [['openid'], { code: 'FORBIDDEN', challenge: 'insufficient_scope', scopes: ['articles:read'] }],
    [null, { code: 'UNAUTHENTICATED', scopes: ['articles:read'] }],
  ] as const)('names the scopes of an authorize call in a resolver, to %j', async (scopes, expected) => {
    const { extensions } = (await refusalOf('{ asking }', scopes && granted('READER', ...scopes))) ?? {}
    expect(extensions).toEqual(expected)
  })

  test.each(['author', 'other'])('is the same for a resource of "%s" in an authorize call', async (owner) => {
    const { extensions } = (await refusalOf(`{ owning(owner: "${owner}") }`, granted('AUTHOR', 'openid'))) ?? {}
    expect(extensions).toEqual({ code: 'FORBIDDEN', challenge: 'insufficient_scope', scopes: ['articles:update'] })
  })

  test('names no scope for a foreign resource if the grant has the permission', async () => {
    const { extensions } = (await refusalOf('{ owning(owner: "other") }', granted('AUTHOR', 'articles:update'))) ?? {}
    expect(extensions).toEqual({ code: 'FORBIDDEN' })
  })

  test.each([
    ['the account alone', '{ plain search }', 'ADMIN', []],
    ['the service itself', '{ own search }', 'ADMIN', []],
    ['a role that the account lacks', '{ search both }', 'READER', []],
    ['a role that the account lacks, although the grant names it', '{ search both }', 'READER', ['accounts:read']],
    ['a permission that is not published', '{ search bypass }', 'ADMIN', []],
    ['an owner whose exception the role lacks', 'mutation { delete(id: 7) }', 'AUTHOR', ['articles:update']],
    ['an owner of a parent object', '{ other { mail } }', 'ADMIN', ['email']],
    ['an owner whose exception is not published', 'mutation { update(id: 7) }', 'ADMIN', ['articles:update']],
  ] as const)('names no scope for %s: %s', async (_what, query, role, scopes) => {
    const { extensions, headers } = (await refusalOf(query, granted(role, ...scopes))) ?? {}
    expect(extensions).toEqual({ code: 'FORBIDDEN' })
    expect(headers).not.toHaveProperty('www-authenticate')
  })

  test('names no scope if none is published', async () => {
    const { prepared } = await ask(access, '{ search }', granted('ADMIN'))
    expect(prepared.ok || prepared.errors[0]?.extensions).toEqual({
      code: 'FORBIDDEN',
      challenge: 'insufficient_scope',
    })
  })
})

describe('an unauthenticated refusal', () => {
  test.each([
    ['{ search }', 'articles:read'],
    ['{ me { email } search }', 'openid email articles:read'],
    ['mutation { delete(id: 7) }', 'articles:update'],
    ['{ machines }', 'articles:read'],
  ])('names the scopes of any account or machine: %s', async (query, expected) => {
    expect((await refusalOf(query, null))?.extensions).toEqual({ code: 'UNAUTHENTICATED', scopes: expected.split(' ') })
    expect(await challengeOf(query, null)).toBe(`Bearer realm="graphql", scope="${expected}"`)
  })

  test.each(['{ own }', '{ ownSearch }', '{ plain search }', '{ bypass }'])(
    'names none if no scope opens it: %s',
    async (query) => {
      expect((await refusalOf(query, null))?.extensions).toEqual({ code: 'UNAUTHENTICATED' })
      expect(await challengeOf(query, null)).toBe('Bearer realm="graphql"')
    },
  )
})

describe('a group of permissions', () => {
  const grouped = definePolicy({
    permissions: ['notes:read', 'notes:write', 'notes:delete'],
    roles: { WRITER: { permissions: ['notes:read', 'notes:write', 'notes:delete'] } },
    scopes: { all: ['notes:read', 'notes:write', 'notes:delete'], writing: ['notes:read', 'notes:write'] },
  })
  const fields = (permission: 'notes:read' | 'notes:delete') => [{ rules: [grouped.rule({ permissions: permission })] }]

  test.each([
    [['all', 'writing', 'notes:read'], 'notes:read', ['notes:read']],
    [['all', 'writing'], 'notes:read', ['writing']],
    [['all', 'writing'], 'notes:delete', ['all']],
    [['writing'], 'notes:delete', null],
  ] as const)('is named if %j is published and %s is needed', (names, permission, expected) => {
    const published = createPublishedScopes(grouped, names)
    expect(neededScopes(fields(permission), unknownHolder('account'), published)).toEqual(expected)
  })

  test('is the only scope named for two permissions if it grants both and another group grants one', () => {
    const published = createPublishedScopes(grouped, ['all', 'writing'])
    const needed = [...fields('notes:read'), ...fields('notes:delete')]
    expect(neededScopes(needed, unknownHolder('account'), published)).toEqual(['all'])
  })
})

/** Every set of published scopes, the best one first, judged one by one by the access itself. */
function setsOf(names: readonly string[], held: readonly string[]): (readonly string[])[] {
  const sets = Array.from({ length: 2 ** names.length }, (_none, set) =>
    names.filter((_name, position) => (set & (1 << position)) !== 0),
  )
  const lacks = (set: readonly string[]) => set.filter((name) => !held.includes(name)).length
  const order = (set: readonly string[]) => set.map((name) => String.fromCharCode(65 + names.indexOf(name))).join('')
  return sets.sort((a, b) => lacks(a) - lacks(b) || a.length - b.length || (order(a) < order(b) ? -1 : 1))
}

describe('generated rules:', () => {
  const names = ['openid', 'articles:read', 'articles:update', 'articles:publish', 'comments:delete', 'email']
  const set = fc.uniqueArray(fc.constantFrom(...names, 'ownership:bypass'), { minLength: 1, maxLength: 3 })
  const rule = fc.array(set, { minLength: 1, maxLength: 3 })
  const published = createPublishedScopes(policy, names)

  test('the named scopes are the best set that an exhaustive search finds', () => {
    fc.assert(
      fc.property(
        fc.array(rule, { minLength: 1, maxLength: 4 }),
        fc.subarray(names),
        fc.constantFrom('READER', 'AUTHOR', 'EDITOR'),
        (rules, held, role) => {
          const fields = rules.map((scope) => ({ rules: [policy.rule({ scope })] }))
          const holder = scopeHolderOf(policy, granted(role, ...held))
          if (!holder) throw new Error('no grant')
          const isOpen = (scopes: readonly string[]) =>
            rules.every((alternatives) =>
              alternatives.some((all) =>
                all.every(
                  (name) =>
                    scopes.includes(name) && (!name.includes(':') || policy.can(identityOf('a', role), name as never)),
                ),
              ),
            )
          const best = setsOf(names, held).find(isOpen) ?? null
          expect(neededScopes(fields, holder, published)).toEqual(best)
        },
      ),
      { numRuns: process.env.TEST_TIER === '3' ? 5000 : 300 },
    )
  })
})

test('neededScopes names no unneeded scope if the best combination is not compared', () => {
  const named = (prefix: string, length: number) => Array.from({ length }, (_none, index) => `${prefix}${index}`)
  const [early, late, one, other] = [named('early', 7), named('late', 7), named('one', 9), named('other', 9)]
  const published = createPublishedScopes(policy, [...early, ...late, ...one, ...other])
  // Of 128 combinations the 64 are compared that have the first name: the best one has none of the early names.
  const rules = [...early.map((name, index) => [[name], [`late${index}`]]), [late, one, other]]
  const fields = rules.map((scope) => ({ rules: [policy.rule({ scope })] }))
  expect(neededScopes(fields, unknownHolder('account'), published)).toEqual(late)
})

test('scopes are named within bounded work for many rules with many alternatives', () => {
  const many = Array.from({ length: 1000 }, (_none, index) => `scope-${index}`)
  const alternative = (rule: number, index: number) =>
    Array.from({ length: 8 }, (_none, part) => many[(rule * 31 + index * 7 + part * 101) % many.length] ?? '')
  const rules = Array.from({ length: 600 }, (_none, rule) =>
    Array.from({ length: 64 }, (_other, index) => alternative(rule, index)),
  )
  const fields = rules.map((scope) => ({ rules: [policy.rule({ scope })] }))
  const found = neededScopes(fields, unknownHolder('account'), createPublishedScopes(policy, many)) ?? []
  const isEnough = (names: readonly string[]) =>
    rules.every((scope) => scope.some((all) => all.every((name) => names.includes(name))))
  expect(isEnough(found)).toBe(true)
  for (const spare of found) expect(isEnough(found.filter((name) => name !== spare))).toBe(false)
})

test('scopes are worked out once, however many items of a list are refused', async () => {
  const items = 1000
  const names = Array.from({ length: 200 }, (_none, index) => `scope-${index}`)
  const held = names.filter((_name, index) => index % 5 === 0)
  const ruled = held.map((name, index) => {
    const others = names.slice(index * 5 + 1, index * 5 + 5)
    return `f${index}: String @scope(anyOf: ${JSON.stringify([[name], others.slice(0, 2), others.slice(2)])})`
  })
  const listing = compileAccess({
    policy,
    ownership: 'partial',
    schema: schemaOf(
      `type Item {
        asking: String @public
        remove(id: ID!): String @owner(of: "comments", argument: "id", unless: "comments:delete") @scope(anyOf: "scope-0")
      }
      type Query { items: [Item]! @public ${ruled.join(' ')} }`,
      {
        Query: { items: () => Array.from({ length: items }, () => ({})) },
        Item: {
          asking: (_source: never, _args: never, { authorize }: AuthContext<TestPolicy>) =>
            authorize({ permissions: 'articles:read' }).subject,
        },
      },
    ),
  })
  const query = `{ ${ruled.map((_rule, index) => `f${index}`).join(' ')} items { asking remove(id: 7) } }`
  const input = { publishedScopes: [...names, 'articles:read', 'comments:delete'] }
  const { result } = await ask(listing, query, granted('EDITOR', ...held), { input })
  const lists = result?.errors?.map(({ extensions }) => extensions.scopes as string[]) ?? []
  for (const name of ['articles:read', 'comments:delete']) {
    expect(lists.filter((scopes) => scopes.includes(name))).toHaveLength(items)
  }
})

describe('scopes of an error of a resolver', () => {
  const foreign = (scopes: unknown) => new GraphQLError('no', { extensions: { code: 'UNAUTHENTICATED', scopes } })
  const open = (thrown: Error) =>
    createGraphqlHandler({
      access: compileAccess({
        policy,
        schema: schemaOf('type Query { hello: String @public }', {
          Query: {
            hello: () => {
              throw thrown
            },
          },
        }),
      }),
      identify: createIdentityReader({ bearer: { verify: async () => policy.identify(null) } }),
      observe: { onEvent: () => undefined },
    })

  test.each([
    ['are sent if they are scopes', ['a', 'b:c'], ['a', 'b:c'], ', scope="a b:c"'],
    [
      'never leave the quotes of the challenge',
      ['a', 'b"', 'c d', 'e\n', 'f\\'],
      ['a', 'b"', 'c d', 'e\n', 'f\\'],
      ', scope="a"',
    ],
    ['are no parameter if none is left', ['"'], ['"'], ''],
  ] as const)('%s', async (_what, scopes, shown, parameter) => {
    const { headers, json } = await post(open(new AccessError('UNAUTHENTICATED', { scopes })))
    expect(json.errors[0].extensions).toEqual({ code: 'UNAUTHENTICATED', scopes: shown })
    expect(headers.get('www-authenticate')).toBe(`Bearer realm="graphql"${parameter}`)
  })

  test.each([[['a']], ['a'], [{ 0: 'a' }]])('thrown by another service are not sent: %j', async (scopes) => {
    const { headers, json } = await post(open(foreign(scopes)))
    expect(json.errors[0].extensions).toEqual({ code: 'UNAUTHENTICATED' })
    expect(headers.get('www-authenticate')).toBe('Bearer realm="graphql"')
  })

  async function post(handler: ReturnType<typeof open>) {
    const headers = { 'content-type': 'application/json' }
    const body = JSON.stringify({ query: '{ hello }' })
    const answer = await handler.fetch(new Request('https://example.com/graphql', { method: 'POST', headers, body }))
    return { headers: answer.headers, json: await answer.json() }
  }
})

test('"publishedScopes" must be a list of texts', () => {
  for (const publishedScopes of ['openid', [1], {}]) {
    const options = {
      access,
      identify: createIdentityReader({ bearer: { verify: async () => policy.identify(null) } }),
      publishedScopes: publishedScopes as never,
    }
    expect(() => createGraphqlHandler(options)).toThrow('"publishedScopes"')
    expect(() => createSubscriptions(options)).toThrow('"publishedScopes"')
  }
})
