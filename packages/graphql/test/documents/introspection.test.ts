import { type AccessOptions, compileAccess } from '@latchkey/graphql'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { describe, expect, test } from 'vitest'
import { admin, ask, author, machine, policy, reader, schemaOf, type TestPolicy } from '../support/access-fixture.ts'
import { since17 } from '../support/graphql-version.ts'

const schema = schemaOf(
  'type Article { title: String @public } type Query { article: Article @public, query: Query @public }',
  {
    Query: { query: () => ({}), article: () => ({}) },
  },
)
const withRule = (introspection?: AccessOptions<TestPolicy>['introspection']) =>
  compileAccess({ schema, policy, ...(introspection && { introspection }) })
const queries = [
  '{ __schema { types { name } } }',
  '{ __type(name: "Article") { name } }',
  '{ a: __schema { __typename } }',
  ...since17('{ __schema { } }'),
  '{ query { __schema { description } } }',
  '{ ...F } fragment F on Query { ... { __type(name: "Article") { ...T } } } fragment T on __Type { name }',
]

describe('introspection', () => {
  test.each(queries)('is refused to every identity by default: %s', async (query) => {
    const access = withRule()
    expect((await ask(access, query)).verdict).toBe('UNAUTHENTICATED')
    expect((await ask(access, query, reader)).verdict).toBe('FORBIDDEN')
    expect((await ask(access, query, admin)).verdict).toBe('FORBIDDEN')
    expect((await ask(access, query, machine)).verdict).toBe('FORBIDDEN')
  })

  test.each(queries)('is decided by its rule, for signed-in accounts and for a permission: %s', async (query) => {
    expect((await ask(withRule('authenticated'), query)).verdict).toBe('UNAUTHENTICATED')
    expect((await ask(withRule('authenticated'), query, reader)).verdict).toBe('executed')
    expect((await ask(withRule({ permissions: 'articles:update' }), query, reader)).verdict).toBe('FORBIDDEN')
    expect((await ask(withRule({ permissions: 'articles:update' }), query, author)).verdict).toBe('executed')
    expect((await ask(withRule('public'), query)).codes).toEqual([])
  })

  test('answers the standard query of tools if its rule is public', async () => {
    const { result } = await ask(withRule('public'), getIntrospectionQuery())
    const described = buildClientSchema(result?.data as unknown as IntrospectionQuery)
    expect(described.getType('Article')).toBeDefined()
    expect(result?.errors).toBeUndefined()
  })

  test('leaves __typename free at every level', async () => {
    const { result } = await ask(withRule(), '{ __typename article { t: __typename } query { __typename } }')
    expect(result?.data).toEqual({ __typename: 'Query', article: { t: 'Article' }, query: { __typename: 'Query' } })
  })

  test('decides whether a mistake is answered with suggestions', async () => {
    const query = '{ artcle { title } }'
    const words = async (introspection?: 'public' | 'authenticated') => {
      const { prepared } = await ask(withRule(introspection), query, reader)
      return prepared.ok ? '' : (prepared.errors[0]?.message ?? '')
    }
    expect(await words('public')).toContain('Did you mean "article"?')
    expect(await words('authenticated')).not.toContain('article"')
    expect(await words()).not.toContain('article"')
  })
})
