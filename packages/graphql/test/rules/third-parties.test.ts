import { type Access, type AuthContext, compileAccess, reportAccess } from '@latchkey/graphql'
import type { IdentityInput } from '@latchkey/rbac'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { ask, identityOf, machine, policy, schemaOf, type TestPolicy } from '../support/access-fixture.ts'

const account = { id: 'author', email: 'a@example.com', name: 'A' }
const sdl = `
  type Account {
    id: ID! @public
    email: String @owner(of: "accounts", unless: "accounts:read") @scope(anyOf: [["email"], ["accounts:read"]])
    name: String @owner(of: "accounts")
    role: String @authenticated
  }
  type Vault @authenticated { code: String @requires(permissions: "articles:read") }
  type Query {
    hello: String @public
    me: Account @authenticated @scope(anyOf: "openid")
    plain: String @authenticated
    search: String @requires(permissions: "articles:read")
    profile: String @scope(anyOf: [["openid", "profile"]])
    publishing: String @authenticated @scope(anyOf: "articles:publish")
    vault: Vault @public
    own: String @firstParty
    fresh: String @requires(permissions: "articles:read") @stepUp(maxAgeSeconds: 60)
  }
  type Mutation {
    note: String @authenticated
    erase(id: ID!): String @owner(of: "comments", argument: "id", unless: "comments:delete") @scope(anyOf: "openid")
    visit: String @authenticated @scope(anyOf: "openid")
    update(id: ID!): String @requires(permissions: "articles:update") @owner(of: "articles", argument: "id")
    delete(id: ID!): String @owner(of: "comments", argument: "id", unless: "comments:delete")
    deleteOwn(id: ID!): String
      @owner(of: "comments", argument: "id", unless: "comments:delete")
      @scope(anyOf: [["articles:update"], ["comments:delete"]])
    run: String @client
    signOut: String @public
  }`
const access = compileAccess({
  policy,
  schema: schemaOf(sdl, { Query: { me: () => account, vault: () => ({ code: 'c' }) } }),
})

/** An administrator with all permissions, through a grant with these scopes. */
const granted = (...scopes: string[]) => identityOf('author', 'ADMIN', { scopes, firstParty: false })

/** Returns the code for a grant with these scopes, and the challenge if only scopes are missing. */
async function outcomeOf(query: string, ...scopes: string[]): Promise<string> {
  const { prepared, verdict } = await ask(access, query, granted(...scopes))
  if (prepared.ok) return verdict
  return [verdict, prepared.errors[0]?.extensions.challenge].filter(Boolean).join(' ')
}

const outOfScope = 'FORBIDDEN insufficient_scope'

describe('through a grant to a third party', () => {
  test.each([
    ['a public field', '{ hello }', [], 'executed'],
    ['a public mutation', 'mutation { signOut }', [], 'executed'],
    ['the account alone, which no scope opens', '{ plain }', ['openid', 'articles:read'], 'FORBIDDEN'],
    ['a field of the own account', '{ me { name } }', ['openid', 'articles:read'], outOfScope],
    ['a field that no scope opens below one in scope', '{ me { role } }', ['openid'], 'FORBIDDEN'],
    ['a scope that the grant names', '{ me { id } }', ['openid'], 'executed'],
    ['a scope that it does not name', '{ me { id } }', ['email'], outOfScope],
    ['all scopes of a set', '{ profile }', ['openid', 'profile'], 'executed'],
    ['some scopes of a set', '{ profile }', ['openid'], outOfScope],
    ['the own e-mail address in scope', '{ me { email } }', ['openid', 'email'], 'executed'],
    ['a permission in scope', '{ search }', ['articles:read'], 'executed'],
    ['a permission out of scope', '{ search }', ['articles:publish'], outOfScope],
    ['a type that no scope opens', '{ vault { code } }', ['articles:read'], 'FORBIDDEN'],
    ['a field that no scope opens beside one out of scope', '{ plain search }', ['openid'], 'FORBIDDEN'],
    ['what is for the service itself', '{ own }', [...policy.permissions], 'FORBIDDEN'],
    ['a mutation that names no permission', 'mutation { note }', ['openid', ...policy.permissions], 'FORBIDDEN'],
    ['a mutation that names a mere scope', 'mutation { visit }', ['openid', ...policy.permissions], 'FORBIDDEN'],
    ['a mere scope beside something owned', 'mutation { erase(id: 1) }', ['openid'], 'FORBIDDEN'],
    ['a mutation in scope on something owned', 'mutation { update(id: 1) }', ['articles:update'], 'executed'],
    ['a mutation in scope on something of others', 'mutation { update(id: 7) }', ['articles:update'], 'FORBIDDEN'],
    ['a mutation on something owned, and no scope', 'mutation { delete(id: 1) }', ['openid'], outOfScope],
    ['a mutation whose exception is in scope', 'mutation { delete(id: 7) }', ['comments:delete'], 'executed'],
    ['a mutation on something owned with its scope', 'mutation { deleteOwn(id: 1) }', ['articles:update'], 'executed'],
    ['the same on something of others', 'mutation { deleteOwn(id: 7) }', ['articles:update'], 'FORBIDDEN'],
    ['the same with the exception', 'mutation { deleteOwn(id: 7) }', ['comments:delete'], 'executed'],
    ['what only machines may', 'mutation { run }', [...policy.permissions], 'FORBIDDEN'],
    ['a factor after what a grant lacks', '{ fresh }', ['openid'], outOfScope],
  ])('%s: %s with %j is %s', async (_what, query, scopes, expected) => {
    expect(await outcomeOf(query, ...scopes)).toBe(expected)
  })

  test('ownership:bypass counts only if the grant has it', async () => {
    const update = 'mutation { update(id: 7) }'
    expect(await outcomeOf(update, 'articles:update')).toBe('FORBIDDEN')
    expect(await outcomeOf(update, 'articles:update', 'ownership:bypass')).toBe('executed')
  })

  test('a scope that is a permission does not extend the role', async () => {
    const reader = identityOf('author', 'READER', {
      scopes: ['articles:publish', 'articles:update'],
      firstParty: false,
    })
    for (const scopes of [['articles:publish', 'articles:update'], ['openid']]) {
      const { prepared } = await ask(
        access,
        '{ publishing }',
        identityOf('author', 'READER', { scopes, firstParty: false }),
      )
      expect(prepared.ok || prepared.errors[0]?.extensions).toEqual({ code: 'FORBIDDEN' })
    }
    expect(await outcomeOf('{ publishing }', 'articles:publish')).toBe('executed')
    const { prepared } = await ask(access, 'mutation { update(id: 1) }', reader)
    expect(prepared.ok || prepared.errors[0]?.extensions).toEqual({ code: 'FORBIDDEN' })
  })

  test('a refusal for more than a missing scope names no scope', async () => {
    expect(await outcomeOf('{ search own }', 'openid')).toBe('FORBIDDEN')
    expect(await outcomeOf('{ search profile }', 'openid')).toBe(outOfScope)
  })

  test('the challenge goes in the header as well, and names no scope (RFC 6750)', async () => {
    const { prepared } = await ask(access, '{ search }', granted('openid'))
    const [body, { status, headers }] = prepared.ok ? ['', { status: 0, headers: {} }] : prepared.response
    expect([status, headers]).toMatchObject([
      403,
      { 'www-authenticate': 'Bearer realm="graphql", error="insufficient_scope"' },
    ])
    expect(`${body}${JSON.stringify(headers)}`).not.toContain('articles:read')
  })

  test("authorize('authenticated') in a resolver is refused like a field", async () => {
    const asking = (rule: 'authenticated' | { authenticated: true; scope: string }) =>
      schemaOf('type Query { hello: String @public }', {
        Query: {
          hello: (_source: never, _args: never, { authorize }: AuthContext<TestPolicy>) => authorize(rule).subject,
        },
      })
    const run = async (rule: 'authenticated' | { authenticated: true; scope: string }) => {
      const asked = await ask(compileAccess({ policy, schema: asking(rule) }), '{ hello }', granted('openid'))
      return asked.result?.data?.hello ?? asked.result?.errors?.map(({ extensions }) => extensions)
    }
    expect(await run('authenticated')).toEqual([{ code: 'FORBIDDEN' }])
    expect(await run({ authenticated: true, scope: 'openid' })).toBe('author')
  })
})

test('a rule with a scope allows identities without a grant', async () => {
  const own = identityOf('author', 'READER')
  for (const query of ['{ me { email } }', '{ profile }', '{ publishing }', 'mutation { visit }']) {
    expect((await ask(access, query, own)).verdict).toBe('executed')
  }
  const unscoped = identityOf('author', 'ADMIN', { firstParty: false })
  expect((await ask(access, '{ me { id } }', unscoped)).verdict).toBe('FORBIDDEN')
})

test('a machine is refused for its scopes where more of them would do', async () => {
  const poor = policy.identify({ subject: 'm', kind: 'client', roles: [], scopes: ['openid'] })
  const challengeOf = async (query: string) => {
    const { prepared } = await ask(access, query, poor)
    return prepared.ok ? 'executed' : (prepared.errors[0]?.extensions.challenge ?? 'none')
  }
  expect(await challengeOf('{ search }')).toBe('insufficient_scope')
  expect(await challengeOf('{ plain }')).toBe('none')
  expect((await ask(access, '{ search }', machine)).verdict).toBe('executed')
  expect((await ask(access, 'mutation { run }', machine)).verdict).toBe('executed')
})

test('reportAccess has a column for third parties without scopes: only public fields are allowed', () => {
  const { rows, columns } = reportAccess(access)
  expect(columns.at(-1)).toBe('third party without scopes')
  for (const { coordinate, rule, outcomes } of rows) {
    const expected = rule === 'public' ? 'yes' : '403'
    expect([coordinate, outcomes['third party without scopes']]).toEqual([coordinate, expected])
  }
})

/** A part of a rule as written, and its verdict on a grant with `openid` for an account with all roles. */
const atoms = {
  '@authenticated': 'account',
  '@firstParty': 'never',
  '@stepUp(maxAgeSeconds: 60, ifEnrolled: true)': 'factor',
  '@requires(permissions: "articles:read")': 'permission',
  '@requires(permissions: [["articles:read", "accounts:read"], ["comments:delete"]])': 'permission',
  '@owner(of: "articles", argument: "id", unless: "articles:publish")': 'owner',
  '@owner(of: "articles", argument: "id")': 'owner',
  '@scope(anyOf: "email")': 'scope',
  '@scope(anyOf: [["openid", "email"], ["articles:read"]])': 'scope',
  '@scope(anyOf: "openid")': 'openid',
} as const
type Atom = keyof typeof atoms

/** A rule names each directive once. */
const rule = fc.uniqueArray(fc.constantFrom(...(Object.keys(atoms) as Atom[])), {
  minLength: 1,
  maxLength: 4,
  selector: (atom) => atom.slice(0, 6),
})

describe('every field of a generated schema:', () => {
  const openid: Partial<IdentityInput> = { scopes: ['openid'], firstParty: false }
  const proven = { factors: [{ kind: 'password', at: Date.now() }] }

  test('a grant with openid alone opens what is public, and queries that name it alone', async () => {
    // Types carry no owner rules.
    const typeRule = rule.filter((atomsOfRule) => !atomsOfRule.some((atom) => atom.startsWith('@owner')))
    const field = fc.record({ rule: fc.option(rule, { nil: null }), type: fc.option(typeRule, { nil: null }) })
    await fc.assert(
      fc.asyncProperty(fc.array(field, { minLength: 1, maxLength: 6 }), async (fields) => {
        const generated = generate(fields)
        for (const [index, { rule: own, type }] of fields.entries()) {
          for (const root of ['query', 'mutation'] as const) {
            const asked = `${root} { ${root[0]}${index}(id: 1) { __typename } }`
            const { verdict } = await ask(generated, asked, identityOf('author', 'ADMIN', { ...openid, ...proven }))
            const isOpen = [own, type].every((one) => one === null || isMetByOpenid(one))
            const isClosed = root === 'mutation' && own !== null
            expect([asked, own, type, verdict]).toEqual([
              asked,
              own,
              type,
              isOpen && !isClosed ? 'executed' : 'FORBIDDEN',
            ])
          }
        }
      }),
      { numRuns: process.env.TEST_TIER === '3' ? 2000 : 60 },
    )
  })

  function isMetByOpenid(atomsOfRule: readonly Atom[]): boolean {
    const kinds = atomsOfRule.map((atom) => atoms[atom])
    return kinds.includes('openid') && kinds.every((kind) => /^(?:openid|account|factor|owner)$/.test(kind))
  }

  function generate(
    fields: readonly { rule: readonly Atom[] | null; type: readonly Atom[] | null }[],
  ): Access<TestPolicy> {
    const types = fields.map(({ type }, index) => {
      const demands = type ?? []
      return `type T${index} ${demands.join(' ')} { id: ID ${demands.length > 0 ? '@authenticated' : '@public'} }`
    })
    const root = (prefix: string) =>
      fields
        .map(({ rule: own }, index) => `${prefix}${index}(id: ID!): T${index} ${own?.join(' ') ?? '@public'}`)
        .join('\n')
    const schema = schemaOf(`${types.join('\n')} type Query { ${root('q')} } type Mutation { ${root('m')} }`)
    return compileAccess({ policy, schema })
  }
})
