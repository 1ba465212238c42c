import { type AuthContext, compileAccess, type RuleMap, reportAccess } from '@latchkey/graphql'
import type { RuleOf } from '@latchkey/rbac'
import SchemaBuilder from '@pothos/core'
import { GraphQLInterfaceType, GraphQLNonNull, GraphQLObjectType, GraphQLSchema, GraphQLString } from 'graphql'
import { beforeEach, describe, expect, test } from 'vitest'
import { admin, ask, author, policy, reader, type TestPolicy } from '../support/access-fixture.ts'

/** A rule as `extensions` takes it, checked by the compiler against the policy. */
const auth = (rule: RuleOf<TestPolicy>) => ({ extensions: { auth: rule } })

const ran: string[] = []
beforeEach(() => {
  ran.length = 0
})

interface Article {
  readonly id: string
  readonly title: string
  readonly owner: string
}
const articles: readonly Article[] = [
  { id: '1', title: 'One', owner: 'author' },
  { id: '7', title: 'Seven', owner: 'other' },
]

interface PothosTypes {
  Context: AuthContext<TestPolicy>
  Objects: { Article: Article }
}

function buildWithPothos({ deleting = auth({ permissions: 'articles:update', owner: { argument: 'id' } }) } = {}) {
  const builder = new SchemaBuilder<PothosTypes>({})
  builder.objectType('Article', {
    ...auth('authenticated'),
    fields: (t) => ({
      id: t.exposeID('id', auth('authenticated')),
      title: t.exposeString('title', auth('authenticated')),
      draft: t.string({ ...auth({ owner: { of: 'articles' } }), resolve: ({ title }) => `draft of ${title}` }),
    }),
  })
  builder.queryType({
    fields: (t) => ({
      health: t.string({ resolve: () => 'fine' }),
      viewer: t.string({ resolve: (_source, _args, { authorize }) => authorize('authenticated').subject }),
      article: t.field({
        type: 'Article',
        nullable: true,
        args: { id: t.arg.string({ required: true }) },
        ...auth({ permissions: 'articles:read' }),
        resolve: (_source, { id }) => articles.find((article) => article.id === id) ?? null,
      }),
    }),
  })
  builder.mutationType({
    fields: (t) => ({
      deleteArticle: t.boolean({
        args: { id: t.arg.string({ required: true }) },
        ...deleting,
        resolve: (_source, { id }) => ran.push(id) > 0,
      }),
    }),
  })
  return builder.toSchema()
}
const rules = { 'Query.health': 'public', 'Query.viewer': 'authenticated' } as const

describe('a schema of Pothos', () => {
  const access = compileAccess({ schema: buildWithPothos(), policy, rules })

  test('takes its rules from "extensions.auth", and from the map what it does not say itself', () => {
    const lines = reportAccess(access).rows.map(({ coordinate, rule }) => `${coordinate}: ${rule}`)
    expect(lines).toEqual([
      'Article.draft: owner of articles; authenticated',
      'Article.id: authenticated',
      'Article.title: authenticated',
      'Mutation.deleteArticle: articles:update; owner of articles by id',
      'Query.article: articles:read; authenticated',
      'Query.health: public',
      'Query.viewer: authenticated',
      '__schema: refused',
    ])
  })

  test.each([
    ['{ health }', null, 'executed'],
    ['{ health viewer }', null, 'UNAUTHENTICATED'],
    ['{ viewer }', reader, 'executed'],
    ['{ article(id: "1") { title } }', reader, 'executed'],
    ['mutation { deleteArticle(id: "1") }', reader, 'FORBIDDEN'],
    ['mutation { deleteArticle(id: "7") }', author, 'FORBIDDEN'],
    ['mutation { deleteArticle(id: "1") }', author, 'executed'],
    ['mutation { deleteArticle(id: "7") }', admin, 'executed'],
  ] as const)('decides %s', async (query, identity, verdict) => {
    const answer = await ask(access, query, identity)
    expect([answer.verdict, answer.codes]).toEqual([verdict, verdict === 'executed' ? [] : [verdict]])
    expect(ran).toHaveLength(verdict === 'executed' && query.startsWith('mutation') ? 1 : 0)
  })

  test('checks the owner of the parent object', async () => {
    const drafts = 'query($id: String!) { article(id: $id) { draft } }'
    const own = await ask(access, drafts, author, { variables: { id: '1' } })
    expect(own.result).toEqual({ data: { article: { draft: 'draft of One' } } })
    const foreign = await ask(access, drafts, author, { variables: { id: '7' } })
    expect([foreign.codes, foreign.paths]).toEqual([['FORBIDDEN'], ['article.draft']])
  })

  test('is refused if a field has no rule, a name is wrong, or two sources differ', () => {
    const problems = (schema: GraphQLSchema, map: RuleMap<TestPolicy>) => () =>
      compileAccess({ schema, policy, rules: map })
    expect(problems(buildWithPothos(), {})).toThrow(/Query\.health: has no rule\n {2}Query\.viewer: has no rule/)
    const misspelt = auth({ permissions: 'articles:raed' as never })
    expect(problems(buildWithPothos({ deleting: misspelt }), rules)).toThrow(
      'Mutation.deleteArticle: unknown permission "articles:raed"',
    )
    expect(problems(buildWithPothos(), { ...rules, 'Query.article': 'public' })).toThrow(
      'Query.article: two sources disagree',
    )
    expect(problems(buildWithPothos(), { ...rules, 'Query.articel': 'public' })).toThrow(
      'Query.articel: "rules" names a coordinate that does not exist',
    )
  })
})

describe('objects of graphql', () => {
  const node = new GraphQLInterfaceType({
    name: 'Node',
    fields: { id: { type: new GraphQLNonNull(GraphQLString), ...auth('authenticated') } },
    resolveType: () => 'Note',
  })
  const note = new GraphQLObjectType({
    name: 'Note',
    interfaces: [node],
    fields: {
      id: { type: new GraphQLNonNull(GraphQLString), ...auth('authenticated') },
      text: { type: GraphQLString, ...auth({ permissions: [['articles:read'], ['accounts:read']] }) },
    },
  })
  const query = new GraphQLObjectType({
    name: 'Query',
    fields: {
      node: { type: node, ...auth('public'), resolve: () => ({ id: '1', text: 'a' }) },
      health: { type: GraphQLString, resolve: () => 'fine' },
    },
  })
  const schema = new GraphQLSchema({ query, types: [note] })
  const access = compileAccess({ schema, policy, rules: { 'Query.health': 'public' } })

  test.each([
    ['{ health node { __typename } }', null, 'executed'],
    ['{ node { id } }', null, 'UNAUTHENTICATED'],
    ['{ node { ... on Note { text } } }', null, 'UNAUTHENTICATED'],
    ['{ node { id ... on Note { text } } }', reader, 'executed'],
  ] as const)('take their rules from "extensions.auth": %s', async (source, identity, verdict) => {
    expect((await ask(access, source, identity)).verdict).toBe(verdict)
  })
})
