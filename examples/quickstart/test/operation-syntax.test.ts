import { beforeAll, describe, expect, inject, test } from 'vitest'
import { createVisitor, type Visitor } from './support/visitor.ts'

// The rows of the table "Operation syntax", each on the running service.
describe('an operation', () => {
  const url = inject('quickstartUrl')
  let author: Visitor
  let ids: readonly string[]

  beforeAll(async () => {
    author = createVisitor(url)
    await author.signIn('author@example.com')
    // Articles of its own: of the others some are deleted by other tests, which use the same service.
    const write = (title: string) => `createArticle(input: { title: "${title}", body: "For this test." }) { id }`
    const { data } = await author.ask(`mutation { one: ${write('One')} two: ${write('Two')} }`)
    ids = [data.one.id, data.two.id]
  })

  test('may be a shorthand query', async () => {
    expect(await author.ask('{ articles { id } }')).toMatchObject({ status: 200, errors: [] })
  })

  test('may be sent by GET', async () => {
    const response = await fetch(`${url}/graphql?query=${encodeURIComponent('{ articles(first: 1) { title } }')}`)
    expect(response.status).toBe(200)
    expect((await response.json()).data.articles).toHaveLength(1)
  })

  test('may nest selections', async () => {
    const { data } = await author.ask(
      '{ viewer { name articles(first: 1) { author { name articles(first: 1) { author { name } } } } } }',
    )
    expect(data.viewer.articles[0].author.articles[0].author.name).toBe(data.viewer.name)
  })

  test('may give a field an argument', async () => {
    expect((await author.ask('{ articles(first: 3) { id } }')).data.articles).toHaveLength(3)
    expect((await author.ask(`{ article(id: "${ids[0]}") { id } }`)).data.article.id).toBe(ids[0])
  })

  test('may select the same field under several aliases', async () => {
    const { data } = await author.ask(`{ one: article(id: "${ids[0]}") { id } two: article(id: "${ids[1]}") { id } }`)
    expect([data.one.id, data.two.id]).toEqual(ids)
  })

  test('may be a named query with variables', async () => {
    const { data } = await author.ask('query OneArticle($id: ID!) { article(id: $id) { id } }', { id: ids[1] })
    expect(data.article.id).toBe(ids[1])
  })

  test('may be a mutation with an input and a selection', async () => {
    const { data } = await author.ask(
      'mutation Comment($input: AddCommentInput!) { addComment(input: $input) { text article { id } author { name } } }',
      { input: { articleId: ids[0], text: 'Said in a test.' } },
    )
    expect(data.addComment).toEqual({
      text: 'Said in a test.',
      article: { id: ids[0] },
      author: { name: 'Ada Author' },
    })
  })

  test('may select by type inside an interface and a union', async () => {
    const fromInterface = await author.ask(
      'query ($id: ID!) { node(id: $id) { ... on Article { title } ... on Account { name } } }',
      {
        id: ids[0],
      },
    )
    expect(Object.keys(fromInterface.data.node)).toEqual(['title'])
    const fromUnion = await author.ask(
      '{ search(text: "otters") { ... on Article { title } ... on Comment { text } } }',
    )
    expect(fromUnion.data.search[0].title).toContain('otters')
  })
})
