import { compileAccess } from '@latchkey/graphql'
import { describe, expect, test } from 'vitest'
import { admin, ask, author, editor, machine, policy, reader, schemaOf } from '../support/access-fixture.ts'
import { since17 } from '../support/graphql-version.ts'

const sdl = `
  interface Node { id: ID! @public }
  interface Content implements Node { id: ID! @public, title: String @authenticated }
  type Article implements Content & Node { id: ID! @public, title: String @public, draft: String @requires(permissions: "articles:publish"), author: Account @public }
  type Page implements Content & Node { id: ID! @public, title: String @requires(permissions: "articles:read"), self: Page @public }
  type Account implements Node { id: ID! @public, email: String @requires(permissions: "accounts:read"), name: String @public }
  type Secret @requires(permissions: "accounts:read") { text: String @authenticated }
  type Vault implements Node { id: ID! @authenticated, secret: Secret @authenticated }
  union Hit = Article | Account
  union Risky = Article | Secret
  type Query {
    hello: String @public
    node: Node @public
    content: Content @public
    article: Article @public
    page: Page @public
    account: Account @public
    hit: Hit @public
    risky: Risky @public
    secret: Secret @public
    vault: Vault @authenticated
    viewer: Account @authenticated
    both: String @requires(permissions: [["articles:read", "accounts:read"]])
    either: String @requires(permissions: [["articles:publish"], ["accounts:read"]])
    machines: String @client
    own: String @authenticated @firstParty
    query: Query @public
  }
  type Mutation { publish: Article @requires(permissions: "articles:publish"), touch: Article @authenticated }
`
const article = { __typename: 'Article', id: '1', title: 'T', draft: 'D' }
const access = compileAccess({
  policy,
  limits: { aliases: 20 },
  schema: schemaOf(sdl, {
    Query: { node: () => article, hit: () => article, content: () => article, query: () => ({}) },
  }),
})
const verdict = async (query: string, identity = reader as typeof reader | null, variables = {}) =>
  (await ask(access, query, identity, { variables })).verdict

describe('without an identity', () => {
  test.each([
    '{ hello }',
    '{ __typename }',
    '{ node { __typename } }',
    '{ article { id author { name } } }',
    '{ hit { ... on Account { name } ... on Article { id } } }',
    'query { ...F } fragment F on Query { hello }',
    '{ query { query { hello } } }',
    ...since17('{ article { } }'),
  ])('executes an operation of public fields: %s', async (query) => {
    expect(await verdict(query, null)).toBe('executed')
  })

  test.each([
    ['{ viewer { id } }', ['viewer']],
    ['{ hello viewer { id } }', ['viewer']],
    ...since17<[string, string[]]>(['{ viewer { } }', ['viewer']], ['{ secret { } }', ['secret']]),
    ['{ viewer { __typename } }', ['viewer']],
    ['{ a: viewer { id } __proto__: viewer { id } }', ['a', '__proto__']],
    ['{ query { query { viewer { id } } } }', ['query.query.viewer']],
    ['{ article { draft author { email } } }', ['article.draft', 'article.author.email']],
    ['{ ... { ... on Query { ... @include(if: true) { viewer { id } } } } }', ['viewer']],
    ['{ ...A } fragment A on Query { ...B } fragment B on Query { q: query { viewer { id } } }', ['q.viewer']],
    ['{ secret { __typename } }', ['secret']],
    ['{ risky { __typename } }', ['risky']],
    ['{ risky { ... on Article { id } } }', ['risky']],
  ])('%s is 401, and %j are named', async (query, paths) => {
    const answer = await ask(access, query, null)
    expect(answer.verdict).toBe('UNAUTHENTICATED')
    expect(answer.paths).toEqual(paths)
    for (const error of answer.prepared.ok ? [] : answer.prepared.errors) expect(error.locations).toHaveLength(1)
  })

  test('ignores the fields of operations that were not chosen', async () => {
    const query = 'query A { hello } query B { viewer { id } } fragment Unused on Query { hello }'
    const used = `${query} query C { ...Unused }`
    expect((await ask(access, used, null, { operationName: 'A' })).verdict).toBe('executed')
    expect((await ask(access, used, null, { operationName: 'B' })).verdict).toBe('UNAUTHENTICATED')
    expect((await ask(access, used, null, { operationName: 'C' })).verdict).toBe('executed')
  })
})

describe('an operation with an identity', () => {
  test.each([
    ['{ viewer { id } }', reader, 'executed'],
    ['{ article { draft } }', author, 'FORBIDDEN'],
    ['{ article { draft } }', editor, 'executed'],
    ['{ both }', reader, 'FORBIDDEN'],
    ['{ both }', admin, 'executed'],
    ['{ either }', author, 'FORBIDDEN'],
    ['{ either }', editor, 'executed'],
    ['{ machines }', reader, 'FORBIDDEN'],
    ['{ machines }', machine, 'executed'],
    ['{ viewer { id } }', machine, 'FORBIDDEN'],
    ['{ either }', machine, 'executed'],
    ['{ own }', reader, 'executed'],
    ['{ vault { id } }', reader, 'executed'],
    ['{ vault { secret { text } } }', editor, 'FORBIDDEN'],
    ['{ vault { secret { text } } }', admin, 'executed'],
    ['mutation { touch { draft } }', author, 'FORBIDDEN'],
    ['mutation { publish { draft } }', editor, 'executed'],
  ])('%s by %o is %s', async (query, identity, expected) => {
    expect(await verdict(query, identity)).toBe(expected)
  })

  test('a field with firstParty is FORBIDDEN for a grant', async () => {
    const granted = policy.identify({ subject: 'reader', roles: ['READER'], scopes: ['articles:read'] })
    expect(await verdict('{ own }', granted)).toBe('FORBIDDEN')
    expect(await verdict('{ hello }', granted)).toBe('executed')
  })

  test('prepare throws a TypeError for an identity that the policy did not make', () => {
    const foreign = { ...reader }
    expect(() => access.prepare({ query: '{ hello }' }, { identity: foreign })).toThrow(TypeError)
  })

  test('every refused field is named, ten at most, and no permission', async () => {
    const query = `{ ${Array.from({ length: 20 }, (_none, index) => `f${index}: both`).join(' ')} }`
    const { paths, prepared } = await ask(access, query, editor)
    expect(paths).toEqual(Array.from({ length: 10 }, (_none, index) => `f${index}`))
    expect(JSON.stringify(prepared.ok ? [] : prepared.errors)).not.toMatch(/articles:|accounts:/)
  })
})

describe('a field of an interface or union', () => {
  test('needs the rules of every type that it may have', async () => {
    expect(await verdict('{ content { title } }', null)).toBe('UNAUTHENTICATED')
    expect(await verdict('{ content { title } }', machine)).toBe('FORBIDDEN')
    expect(await verdict('{ content { title } }', reader)).toBe('executed')
    expect(await verdict('{ node { id } }', null)).toBe('UNAUTHENTICATED')
  })

  test('needs the rules of its interface on the object as well', async () => {
    expect(await verdict('{ article { title } }', null)).toBe('UNAUTHENTICATED')
    expect(await verdict('{ page { title } }', identityWithout())).toBe('FORBIDDEN')
  })

  test('needs fewer rules if a fragment excludes types', async () => {
    expect(await verdict('{ node { ... on Article { id } } }', null)).toBe('executed')
    expect(await verdict('{ node { ... on Vault { id } } }', null)).toBe('UNAUTHENTICATED')
    expect(await verdict('{ node { ... on Content { id } } }', null)).toBe('executed')
    expect(await verdict('{ node { ... on Content { ... on Node { id } } } }', null)).toBe('executed')
    expect(await verdict('{ node { ...F } } fragment F on Content { ...G } fragment G on Node { id }', null)).toBe(
      'executed',
    )
  })

  test('is decided separately at each spread of a fragment', async () => {
    const fragment = 'fragment F on Node { id }'
    expect(await verdict(`{ article { ...F } } ${fragment}`, null)).toBe('executed')
    expect(await verdict(`{ vault { ...F } } ${fragment}`, null)).toBe('UNAUTHENTICATED')
    const { paths } = await ask(access, `{ article { ...F } node { ...F } } ${fragment}`, null)
    expect(paths).toEqual(['node.id'])
  })
})

function identityWithout() {
  return policy.identify({ subject: 'nobody', roles: [] })
}

describe('the same field is decided alike on every path', () => {
  const paths = [
    ['plainly', '{ article { draft } }'],
    ['under an alias', '{ a: article { b: draft } }'],
    ['under a name of the prototype', '{ __proto__: article { constructor: draft } }'],
    ['in an inline fragment', '{ article { ... { draft } } }'],
    ['in a typed inline fragment', '{ article { ... on Article { draft } } }'],
    ['in a fragment', '{ article { ...F } } fragment F on Article { draft }'],
    [
      'in nested fragments',
      '{ ...A } fragment A on Query { article { ...B } } fragment B on Article { ...C } fragment C on Article { draft }',
    ],
    ['through an interface', '{ node { ... on Article { draft } } }'],
    ['through two interfaces', '{ node { ... on Content { ... on Article { draft } } } }'],
    ['through a fragment on an interface', '{ article { ...F } } fragment F on Node { ... on Article { draft } }'],
    ['through a union', '{ hit { ... on Article { draft } } }'],
    ['beside itself', '{ article { id } article { draft } }'],
    ['below the query type again', '{ query { article { draft } } }'],
    ['below a mutation', 'mutation { touch { draft } }'],
    ['with a condition that is met', 'query($yes: Boolean!) { article @include(if: $yes) { draft @skip(if: false) } }'],
    [
      'with a default that is met',
      'query($y: Boolean! = true, $n: Boolean = false) { article @include(if: $y) { draft @skip(if: $n) } }',
    ],
    ['in a named operation', 'query Q { article { draft } }'],
  ] as const
  test.each(paths)('%s', async (_how, query) => {
    const isMutation = query.startsWith('mutation')
    expect(await verdict(query, null, { yes: true })).toBe('UNAUTHENTICATED')
    expect(await verdict(query, author, { yes: true })).toBe('FORBIDDEN')
    expect(await verdict(query, editor, { yes: true })).toBe('executed')
    expect(isMutation || (await verdict(query, machine, { yes: true })) === 'executed').toBe(true)
  })
})

describe('a fragment that is spread where many different types are possible', () => {
  const names = Array.from({ length: 40 }, (_none, index) => `T${index}`)
  const wide = compileAccess({
    policy,
    limits: { queryRootFields: 40 },
    schema: schemaOf(`
      interface Node { id: ID! @public }
      ${names.map((name) => `type ${name} implements Node { id: ID! ${name === 'T39' ? '@authenticated' : '@public'} }`).join('\n')}
      ${names.map((name, index) => `union U${index} = T0 | ${name === 'T0' ? 'T1' : name}`).join('\n')}
      type Query { ${names.map((_name, index) => `u${index}: U${index} @public`).join(' ')} }`),
  })
  const spread = (count: number) =>
    `{ ${names
      .slice(0, count)
      .map((_name, index) => `u${index} { ...F }`)
      .join(' ')} } fragment F on Node { id }`

  test('is decided for each of them', async () => {
    expect((await ask(wide, spread(30))).verdict).toBe('executed')
    expect((await ask(wide, '{ u39 { ...F } u1 { ...F } } fragment F on Node { id }')).paths).toEqual(['u39.id'])
  })

  test('is taken for all types that it allows when there are too many, never for fewer', async () => {
    expect((await ask(wide, spread(39))).verdict).toBe('UNAUTHENTICATED')
    expect((await ask(wide, spread(40))).verdict).toBe('UNAUTHENTICATED')
    expect((await ask(wide, spread(40), reader)).codes).toEqual([])
  })
})
