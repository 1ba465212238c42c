import { findFreePort, useService } from '@latchkey/test-services'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { nodeStart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor, type Visitor } from '../support/visitor.ts'

async function start(postgres: string): Promise<readonly [author: Visitor, reader: Visitor]> {
  const port = await findFreePort()
  const environment = await createServerEnvironment(postgres)
  const service = await startQuickstart({ ...environment, PORT: String(port) }, nodeStart)
  onTestFinished(async () => void (await service.stop()))
  const url = `http://127.0.0.1:${port}`
  const visitors = [createVisitor(url, { isPatient: true }), createVisitor(url, { isPatient: true })] as const
  await visitors[0].signIn('author@example.com')
  await visitors[1].signIn('reader@example.com')
  return visitors
}

describe('the publication on PostgreSQL', () => {
  const postgres = useService('postgres')

  test('shows on no path what may not be read, and takes a NUL for no outage', {
    timeout: 60_000,
  }, async () => {
    const [author, reader] = await start(postgres)
    const remark = 'mutation ($a: ID!, $t: String!) { addComment(input: { articleId: $a, text: $t }) { id } }'
    const make = 'mutation { createArticle(input: { title: "A draft", body: "Words." }) { id } }'
    const draft = (await author.ask(make)).data.createArticle.id
    const published = (await reader.ask('{ articles(first: 1) { id } }')).data.articles[0].id
    await reader.ask(remark, { a: published, t: 'Is it a quagga?' })
    const hidden = (await author.ask(remark, { a: draft, t: 'It is a quagga.' })).data.addComment.id

    const latest = '{ search(text: "quagga", first: 1) { ... on Comment { id text } } }'
    expect((await reader.ask(latest)).data.search).toMatchObject([{ text: 'Is it a quagga?' }])
    expect((await author.ask(latest)).data.search).toMatchObject([{ id: hidden }])
    const after = 'query ($id: ID!) { articles(after: $id) { id } }'
    expect((await reader.ask(after, { id: draft })).data.articles).toEqual([])
    expect((await author.ask(after, { id: draft })).data.articles).toHaveLength(10)
    const nested =
      '{ articles(first: 2) { author { articles(first: 2) { status } } comments(first: 2) { text author { name } article { id } } } }'
    const [first, second] = (await reader.ask(nested)).data.articles
    expect([first.comments.length, second.comments.length, first.author.articles.length]).toEqual([2, 2, 2])
    expect(first.comments[0].article.id).toBe(published)

    const node = 'query ($id: ID!) { node(id: $id) { id } }'
    expect((await reader.ask(node, { id: 'art_\0' })).data).toEqual({ node: null })
    expect((await reader.ask(after, { id: 'art_\0' })).data).toEqual({ articles: [] })
    const refused = await reader.ask(remark, { a: published, t: 'a\0b' })
    expect([refused.status, refused.errors[0]?.extensions.code]).toEqual([200, 'BAD_USER_INPUT'])
  })

  test("a deleted author's published articles stay, and the drafts are exported and removed", {
    timeout: 60_000,
  }, async () => {
    const [author, reader] = await start(postgres)
    const make = 'mutation { createArticle(input: { title: "Kept to myself", body: "Words." }) { id } }'
    const draft = (await author.ask(make)).data.createArticle.id
    const own = (await author.ask('{ viewer { id articles { id status } } }')).data.viewer
    const published = own.articles.find(({ status }: { status: string }) => status === 'PUBLISHED').id
    const remark = 'mutation ($a: ID!) { addComment(input: { articleId: $a, text: "Mine." }) { id } }'
    await author.ask(remark, { a: published })
    const { application } = JSON.parse((await author.ask('mutation { exportAccount }')).data.exportAccount)
    expect(application.articles.map(({ id }: { id: string }) => id)).toContain(draft)
    expect(application.comments).toContainEqual(expect.objectContaining({ text: 'Mine.', articleId: published }))
    expect((await author.ask('mutation { deleteAccount(input: { confirm: true }) }')).data).toEqual({
      deleteAccount: true,
    })
    const left = 'query ($id: ID!) { article(id: $id) { author { id name articles { id } } comments { text } } }'
    const { article } = (await reader.ask(left, { id: published })).data
    expect([article.author.id, article.author.name]).toEqual([own.id, 'Deleted account'])
    expect(article.author.articles.map(({ id }: { id: string }) => id)).not.toContain(draft)
    expect(article.comments).toContainEqual({ text: 'Mine.' })
  })
})
