import { compileAccess, reportAccess } from '@latchkey/graphql'
import type { RuleOf } from '@latchkey/rbac'
import type { GraphQLSchema } from 'graphql'
import { interfaceType, makeSchema, mutationType, objectType, queryType, stringArg } from 'nexus'
import { expect, test } from 'vitest'
import { admin, ask, author, policy, reader, type TestPolicy } from '../support/access-fixture.ts'

// Nexus does not run with graphql 17: these tests run with 16 only.

const auth = (rule: RuleOf<TestPolicy>) => ({ extensions: { auth: rule } })

const node = interfaceType({
  name: 'Node',
  resolveType: () => 'Article',
  definition: (t) => t.id('id', auth('public')),
})
const article = objectType({
  name: 'Article',
  definition(t) {
    t.implements('Node')
    t.id('id', auth('public'))
    t.string('draft', { ...auth({ owner: { of: 'articles' } }), resolve: () => 'words' })
  },
})
const query = queryType({
  definition(t) {
    t.string('health', { resolve: () => 'fine' })
    t.field('article', {
      type: 'Article',
      args: { id: stringArg() },
      ...auth({ permissions: 'articles:read' }),
      resolve: (_source: unknown, { id }: { id?: string | null }) => ({ id, owner: id === '1' ? 'author' : 'other' }),
    })
  },
})
const mutation = mutationType({
  definition(t) {
    t.boolean('deleteArticle', {
      args: { id: stringArg() },
      ...auth({ permissions: 'articles:update', owner: { argument: 'id' } }),
      resolve: () => true,
    })
  },
})
const build = (...types: readonly unknown[]): GraphQLSchema =>
  makeSchema({ types, shouldGenerateArtifacts: false }) as unknown as GraphQLSchema
const rules = { 'Query.health': 'public' } as const

test('a schema of Nexus has its rules in "extensions.auth" of types and fields', () => {
  const access = compileAccess({ schema: build(node, article, query, mutation), policy, rules })
  const lines = reportAccess(access).rows.map(({ coordinate, rule }) => `${coordinate}: ${rule}`)
  expect(lines).toEqual([
    'Article.draft: owner of articles',
    'Article.id: public',
    'Mutation.deleteArticle: articles:update; owner of articles by id',
    'Query.article: articles:read',
    'Query.health: public',
    '__schema: refused',
  ])
})

test.each([
  ['{ health }', null, 'executed'],
  ['{ health article(id: "1") { id } }', null, 'UNAUTHENTICATED'],
  ['{ article(id: "1") { id } }', reader, 'executed'],
  ['mutation { deleteArticle(id: "1") }', reader, 'FORBIDDEN'],
  ['mutation { deleteArticle(id: "7") }', author, 'FORBIDDEN'],
  ['mutation { deleteArticle(id: "1") }', author, 'executed'],
  ['mutation { deleteArticle(id: "7") }', admin, 'executed'],
] as const)('it decides %s', async (source, identity, verdict) => {
  const access = compileAccess({ schema: build(node, article, query, mutation), policy, rules })
  expect((await ask(access, source, identity)).verdict).toBe(verdict)
})

test('it checks the owner of the parent object', async () => {
  const access = compileAccess({ schema: build(node, article, query, mutation), policy, rules })
  const own = await ask(access, '{ article(id: "1") { draft } }', author)
  expect(own.result).toEqual({ data: { article: { draft: 'words' } } })
  const foreign = await ask(access, '{ article(id: "7") { draft } }', author)
  expect([foreign.codes, foreign.paths]).toEqual([['FORBIDDEN'], ['article.draft']])
})

test('a field of it without a rule is named at start-up', () => {
  expect(() => compileAccess({ schema: build(node, article, query, mutation), policy })).toThrow(
    'Query.health: has no rule',
  )
})
