import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createVisitor, type Visitor } from './support/visitor.ts'

const typeQuery = `query Type($name: String!) {
  __type(name: $name) {
    kind
    fields { name type { kind name ofType { kind name ofType { kind name ofType { kind name } } } } }
    inputFields { name }
    enumValues { name }
    possibleTypes { name }
    interfaces { name }
  }
}`

// The rows of the table "GraphQL type system the service speaks", each on the running service.
describe('the type system', () => {
  const url = inject('quickstartUrl')
  let author: Visitor

  beforeAll(async () => {
    author = createVisitor(url)
    await author.signIn('author@example.com')
  })

  const typeOf = async (name: string) => (await author.ask(typeQuery, { name })).data.__type
  const fieldOf = async (type: string, name: string) =>
    (await typeOf(type)).fields.find((field: { name: string }) => field.name === name).type

  test('has a root query type whose fields are answered', async () => {
    const { data } = await author.ask('{ __schema { queryType { name } } articles(first: 1) { id } }')
    expect(data.__schema.queryType.name).toBe('Query')
    expect(data.articles).toHaveLength(1)
  })

  test('has object types with fields of their own', async () => {
    expect((await typeOf('Article')).kind).toBe('OBJECT')
    const { data } = await author.ask('{ articles(first: 1) { __typename title author { __typename name } } }')
    expect(data.articles[0]).toMatchObject({ __typename: 'Article', author: { __typename: 'Account' } })
  })

  test('has the scalars Int, Float, String, Boolean and ID', async () => {
    const { data } = await author.ask('{ articles(first: 100) { id title wordCount rating } sessions { current } }')
    const { id, title, wordCount, rating } = data.articles.find((article: { rating: number | null }) => article.rating)
    expect([id, title, wordCount, rating].map((value) => typeof value)).toEqual([
      'string',
      'string',
      'number',
      'number',
    ])
    expect(Number.isInteger(wordCount)).toBe(true)
    expect(
      data.articles.some((article: { rating: number | null }) => article.rating && !Number.isInteger(article.rating)),
    ).toBe(true)
    // Other tests sign the author in too: one of the sessions listed is this one.
    expect(data.sessions.map(({ current }: { current: boolean }) => current)).toContain(true)
    expect(data.sessions.every(({ current }: { current: boolean }) => typeof current === 'boolean')).toBe(true)
  })

  test('has non-null types, and nullable ones that are really null', async () => {
    expect(await fieldOf('Article', 'title')).toMatchObject({ kind: 'NON_NULL', ofType: { name: 'String' } })
    expect(await fieldOf('Query', 'article')).toMatchObject({ kind: 'OBJECT', name: 'Article' })
    expect((await author.ask('{ article(id: "art_nothing") { id } }')).data).toEqual({ article: null })
  })

  test('has non-null lists of non-null items', async () => {
    const nonNull = (ofType: object) => ({ kind: 'NON_NULL', ofType })
    expect(await fieldOf('Query', 'articles')).toMatchObject(
      nonNull({ kind: 'LIST', ofType: nonNull({ name: 'Article' }) }),
    )
  })

  test('has an interface that several types implement', async () => {
    const node = await typeOf('Node')
    expect(node.kind).toBe('INTERFACE')
    expect(node.possibleTypes.map(({ name }: { name: string }) => name).sort()).toEqual([
      'Account',
      'Article',
      'Comment',
    ])
    const write = 'mutation { createArticle(input: { title: "A node", body: "Words." }) { id author { id } } }'
    const article = (await author.ask(write)).data.createArticle
    for (const [id, type] of [
      [article.id, 'Article'],
      [article.author.id, 'Account'],
    ]) {
      const answer = await author.ask('query ($id: ID!) { node(id: $id) { __typename id } }', { id })
      expect(answer.data.node).toEqual({ __typename: type, id })
    }
  })

  test('has an enum, in answers and as an argument', async () => {
    expect((await typeOf('ArticleStatus')).enumValues).toEqual([{ name: 'DRAFT' }, { name: 'PUBLISHED' }])
    const { data } = await author.ask('{ articles(status: DRAFT, first: 50) { status } }')
    expect(new Set(data.articles.map(({ status }: { status: string }) => status))).toEqual(new Set(['DRAFT']))
  })

  test('a union distinguishes its members', async () => {
    const union = await typeOf('SearchResult')
    expect(union.kind).toBe('UNION')
    const { data } = await author.ask(
      '{ search(text: "the", first: 100) { __typename ... on Article { title } ... on Comment { text } ... on Account { name } } }',
    )
    const names = new Set(data.search.map(({ __typename }: { __typename: string }) => __typename))
    expect(names).toEqual(new Set(['Account', 'Article', 'Comment']))
    const people = data.search.filter(({ __typename }: { __typename: string }) => __typename === 'Account')
    // "Otto Other", and no account that has written nothing.
    for (const { name } of people) expect(name.toLowerCase()).toContain('the')
    expect(people).toContainEqual({ __typename: 'Account', name: 'Otto Other' })
    expect((await author.ask('{ search(text: "Rae Reader") { __typename } }')).data.search).toEqual([])
  })

  test('has input types, passed as a variable', async () => {
    const input = await typeOf('CreateArticleInput')
    expect(input.kind).toBe('INPUT_OBJECT')
    expect(input.inputFields).toEqual([{ name: 'title' }, { name: 'body' }])
    const { data } = await author.ask(
      'mutation Create($input: CreateArticleInput!) { createArticle(input: $input) { title wordCount } }',
      { input: { title: 'From a variable', body: 'Four words of text' } },
    )
    expect(data.createArticle).toEqual({ title: 'From a variable', wordCount: 4 })
  })
})
