import { buildSubgraphSchema } from '@apollo/subgraph'
import { type AccessOptions, authDirectives, compileAccess, reportAccess } from '@latchkey/graphql'
import { buildASTSchema, buildSchema, type GraphQLSchema, parse } from 'graphql'
import { describe, expect, test } from 'vitest'
import { admin, ask, author, machine, policy, reader, type TestPolicy } from '../support/access-fixture.ts'

type Rules = NonNullable<AccessOptions<TestPolicy>['rules']>

const link = (names: string) =>
  `extend schema @link(url: "https://specs.apollo.dev/federation/v2.5", import: [${names}])`

/** What the gateway itself asks for, beside the entities. */
const gatewayRules: Rules = {
  'Query._service': { client: true },
  '_Service.sdl': 'public',
  'Query._entities': 'public',
}

const aliased = authDirectives.replace('directive @requires(', 'directive @requiresPermission(')
const requires = { requires: 'requiresPermission' }
const definitionOf = (name: string) =>
  `directive @${name}(permissions: [[String!]!]!) on OBJECT | INTERFACE | FIELD_DEFINITION`

const articles = new Map([
  ['1', { __typename: 'Article', id: '1', owner: 'author', draft: 'mine' }],
  ['7', { __typename: 'Article', id: '7', owner: 'other', draft: 'not mine' }],
])

const resolvers = {
  Query: { articles: () => [...articles.values()] },
  Article: {
    // The owner comes from the store, never from the representation.
    __resolveReference: ({ id, weight }: { id: string; weight?: number }) => ({ ...articles.get(id), weight }),
    estimate: ({ weight }: { weight?: number }) => (weight ?? 0) * 2,
  },
}

function subgraph(typeDefs: string, more: object = {}): GraphQLSchema {
  return buildSubgraphSchema([{ typeDefs: parse(typeDefs), resolvers: { ...resolvers, ...more } as never }])
}

const ofEntities = (selection: string) => `query ($r: [_Any!]!) { _entities(representations: $r) { ${selection} } }`
const article = (id: string, more = {}) => ({ __typename: 'Article', id, ...more })
const represent = (...r: object[]) => ({ variables: { r } })

describe('compileAccess on a subgraph of Apollo Federation', () => {
  const typeDefs = `${link('"@key", "@requires", "@external"')}
    type Query { articles: [Article] }
    type Article @key(fields: "id") {
      id: ID!
      weight: Int @external
      estimate: Int @requires(fields: "weight")
      draft: String
    }`
  const rules: Rules = {
    ...gatewayRules,
    'Query.articles': 'public',
    'Article.id': 'public',
    'Article.weight': { permissions: 'accounts:read' },
    'Article.estimate': { permissions: 'articles:update' },
    'Article.draft': { owner: { of: 'articles' } },
  }
  const access = compileAccess({ schema: subgraph(typeDefs), policy, rules })

  test('leaves the @requires of federation alone if each field has a rule by coordinate', () => {
    expect(reportAccess(access).text).toMatch(/^Article\.estimate +articles:update /m)
  })

  test('refuses a field that has the @requires of federation and no rule', () => {
    const { 'Article.estimate': _rule, ...others } = rules
    expect(() => compileAccess({ schema: subgraph(typeDefs), policy, rules: others })).toThrow(
      'Article.estimate: has no rule',
    )
  })

  test('reads its own @requires by the name that "directives" gives it', async () => {
    const schema = subgraph(`${aliased} ${link('"@key", "@requires", "@external"')}
      type Query { articles: [Article] @public }
      type Article @key(fields: "id") {
        id: ID! @public
        weight: Int @external @requiresPermission(permissions: "accounts:read")
        estimate: Int @requires(fields: "weight") @requiresPermission(permissions: "articles:update")
      }`)
    const named = compileAccess({ schema, policy, rules: gatewayRules, directives: requires })
    const [query, input] = [ofEntities('... on Article { estimate }'), represent(article('1', { weight: 7 }))]
    expect((await ask(named, query, author, input)).result).toEqual({ data: { _entities: [{ estimate: 14 }] } })
    expect((await ask(named, query, reader, input)).verdict).toBe('FORBIDDEN')
  })

  test('reads its own @requires if federation has its own as @federation__requires', () => {
    const schema = subgraph(`${authDirectives} ${link('"@key", "@external"')}
      type Query { articles: [Article] @public }
      type Article @key(fields: "id") {
        id: ID! @public
        weight: Int @external @requires(permissions: "accounts:read")
        estimate: Int @federation__requires(fields: "weight") @requires(permissions: "articles:update")
      }`)
    const report = reportAccess(compileAccess({ schema, policy, rules: gatewayRules })).text
    expect(report).toMatch(/^Article\.estimate +articles:update /m)
  })

  test('leaves the @authenticated of federation alone if ours has another name', () => {
    const renamed = authDirectives.replace('directive @authenticated ', 'directive @signedIn ')
    const schema = subgraph(`${renamed.replace('directive @requires(', 'directive @requiresPermission(')}
      ${link('"@key", "@authenticated"')}
      type Query { articles: [Article] @public }
      type Article @key(fields: "id") { id: ID! @public, draft: String @authenticated @signedIn }`)
    const directives = { ...requires, authenticated: 'signedIn' }
    const report = reportAccess(compileAccess({ schema, policy, rules: gatewayRules, directives })).text
    expect(report).toMatch(/^Article\.draft +authenticated /m)
  })

  test('answers _service by its rule, here to machine clients only', async () => {
    const query = '{ _service { sdl } }'
    expect((await ask(access, query)).verdict).toBe('UNAUTHENTICATED')
    expect((await ask(access, query, admin)).verdict).toBe('FORBIDDEN')
    expect((await ask(access, query, machine)).result?.data?._service).toEqual({
      sdl: expect.stringContaining('estimate: Int @requires'),
    })
  })

  test('decides an owner rule below _entities by the entity that is loaded, not by the representation', async () => {
    const query = ofEntities('... on Article { draft }')
    const own = await ask(access, query, author, represent(article('1')))
    expect(own.result).toEqual({ data: { _entities: [{ draft: 'mine' }] } })
    const foreign = await ask(access, query, author, represent(article('7', { owner: 'author' })))
    expect(foreign.codes).toEqual(['FORBIDDEN'])
    expect(foreign.result?.data).not.toMatchObject({ _entities: [{ draft: 'not mine' }] })
  })

  test('refuses all entities of a request if one of them may not be seen', async () => {
    const query = ofEntities('... on Article { id weight }')
    const { verdict } = await ask(access, query, author, represent(article('1', { weight: 7 }), article('7')))
    expect(verdict).toBe('FORBIDDEN')
  })
})

describe('a published flaw of a router does not exist in a subgraph:', () => {
  const schema = subgraph(
    `${aliased} ${link('"@key", "@requires", "@external"')}
    interface Node { id: ID! @public, secret: String @public }
    union Found = Article | Comment
    type Query { nodes: [Node] @public, found: [Found] @public, articles: [Article] @public }
    type Article implements Node @key(fields: "id") {
      id: ID! @public
      secret: String @requiresPermission(permissions: "accounts:read")
      weight: Int @external @requiresPermission(permissions: "accounts:read")
      half: Int @requires(fields: "weight") @public
      quarter: Int @requires(fields: "half") @public
    }
    type Comment implements Node @key(fields: "id") {
      id: ID! @public
      secret: String @public
      open: String @public
    }`,
    {
      Query: { nodes: () => [article('1'), { __typename: 'Comment', id: '2' }], found: () => [article('1')] },
      Node: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
      Found: { __resolveType: ({ __typename }: { __typename: string }) => __typename },
    },
  )
  const access = compileAccess({ schema, policy, rules: gatewayRules, directives: requires })

  test.each([
    ['a field that is public on an interface and protected on a type (Apollo Router)', '{ nodes { secret } }'],
    [
      'the same field in a fragment on the interface (Apollo Router)',
      '{ nodes { ...n } } fragment n on Node { id secret }',
    ],
    [
      'a field of a member of a union (Hive Router)',
      '{ found { ... on Comment { secret } ... on Article { secret } } }',
    ],
    [
      'a protected field with the response key of a public one (Hive Router)',
      '{ found { ... on Comment { value: open } ... on Article { value: secret } } }',
    ],
    [
      'a protected field with the response key of a public one, in one selection (Hive Router)',
      '{ nodes { ... on Comment { secret: open } ... on Article { secret } } }',
    ],
  ])('%s', async (_flaw, query) => {
    expect((await ask(access, query)).verdict).toBe('UNAUTHENTICATED')
    expect((await ask(access, query, author)).verdict).toBe('FORBIDDEN')
    expect((await ask(access, query, admin)).verdict).toBe('executed')
  })

  test('a transitive @requires (Apollo Federation): a user without the permission is refused', async () => {
    // The router loads what `quarter` needs with the credential of the user: first `weight`, then `half`.
    const input = represent(article('1'))
    expect((await ask(access, ofEntities('... on Article { weight }'), author, input)).verdict).toBe('FORBIDDEN')
    expect((await ask(access, ofEntities('... on Article { weight }'), admin, input)).verdict).toBe('executed')
  })
})

describe('compileAccess rejects "directives" that', () => {
  const schema = buildSchema(`${authDirectives} type Query { a: String @public }`)
  test.each([
    ['name no directive of authDirectives', { require: 'x' }, 'there is no directive @require in "authDirectives"'],
    ['are not names', { requires: '@other' }, '"directives.requires" must be the name of a directive, without @'],
    ['give one name twice', { requires: 'owner' }, 'gives two directives the name @owner'],
    ['are inherited names', { constructor: 'x' }, 'there is no directive @constructor'],
  ])('%s', (_what, directives, message) => {
    expect(() => compileAccess({ schema, policy, directives } as never)).toThrow(message)
  })

  test('leave a rule behind under the old name', () => {
    const schema = buildSchema(
      `${authDirectives} ${definitionOf('requiresPermission')}
      type Query { a: String @authenticated @requires(permissions: "articles:read") }`,
    )
    expect(() => compileAccess({ schema, policy, directives: requires })).toThrow(
      'Query.a: @requires has another name in "directives": use it',
    )
  })

  test('lack a directive that the schema uses', () => {
    const sdl = `${aliased} type Query { a: String @authenticated @requires(permissions: "articles:read") }`
    const schema = buildASTSchema(parse(sdl), { assumeValidSDL: true })
    expect(() => compileAccess({ schema, policy, directives: requires })).toThrow('Query.a: @requires is not defined')
  })

  test('are not defined in the schema under these names', () => {
    const renamed = buildSchema(
      `${authDirectives} directive @may(permissions: String) on FIELD_DEFINITION type Query { a: String @may(permissions: "articles:read") }`,
    )
    expect(() => compileAccess({ schema: renamed, policy, directives: { requires: 'may' } })).toThrow(
      'Query.a: @may is defined otherwise than in "authDirectives"',
    )
  })
})

describe('compileAccess rejects a foreign directive with a name of authDirectives that', () => {
  test.each([
    [
      'stands on types, where a rule would be lost',
      'directive @requires(fields: String) on OBJECT | FIELD_DEFINITION',
      '@requires(fields: "x")',
    ],
    ['has a misspelt argument', 'directive @requires(permission: String) on FIELD_DEFINITION', ''],
    ['has no arguments', 'directive @requires on FIELD_DEFINITION', ''],
    ['has an argument of the application', 'directive @requires(permission: ID!) on FIELD_DEFINITION', ''],
    [
      'takes fields and stands on types',
      'scalar FieldSet directive @requires(fields: FieldSet!) on OBJECT | FIELD_DEFINITION',
      '@requires(fields: "x")',
    ],
  ])('%s', (_what, definition, onType) => {
    const use = onType || `@requires${/\(/.test(definition) ? '(permission: "articles:read")' : ''}`
    const sdl = `directive @public on FIELD_DEFINITION ${definition}
      type Query ${onType} { a: String @public ${onType ? '' : use} }`
    expect(() => compileAccess({ schema: buildSchema(sdl), policy })).toThrow(
      '@requires is defined otherwise than in "authDirectives": rename one of them',
    )
  })
})
