import { randomBytes } from 'node:crypto'
import { findFreePort, useService } from '@latchkey/test-services'
import { describe, expect, onTestFinished, test } from 'vitest'
import { createServerEnvironment } from '../support/server-environment.ts'
import { failToStart, nodeStart, startQuickstart } from '../support/start-quickstart.ts'
import { createVisitor } from '../support/visitor.ts'

const viewer = '{ viewer { email } }'
const first = '{ articles(first: 50) { id title status author { name } comments { text } } }'

describe.each(['alone', 'with the records on Redis'])('the publication on PostgreSQL %s', (how) => {
  const postgres = useService('postgres')
  const redis = useService('redis')

  test('two processes that start together fill it once, and share accounts, sessions, tokens and articles', async () => {
    const environment = await createServerEnvironment(postgres, how === 'alone' ? {} : { redisUrl: redis })
    const ports = [await findFreePort(), await findFreePort()]
    const start = async (port: number) => {
      const service = await startQuickstart({ ...environment, PORT: String(port) }, nodeStart)
      onTestFinished(async () => void (await service.stop()))
    }
    await Promise.all(ports.map(start))
    const [here, there] = ports.map((port) => `http://127.0.0.1:${port}`) as [string, string]
    const patient = { isPatient: true }
    const [one, two] = [createVisitor(here, patient), createVisitor(there, patient)]

    const articles = (await one.ask(first)).data.articles
    expect(articles).toHaveLength(16)
    expect(articles[0].comments).toHaveLength(3)
    expect((await two.ask(first)).data.articles).toEqual(articles)

    await one.signIn('author@example.com')
    two.cookies.set('__Host-session', one.cookies.get('__Host-session') ?? '')
    two.csrfToken = one.csrfToken
    expect((await two.ask(viewer)).data).toEqual({ viewer: { email: 'author@example.com' } })

    const draft = (
      await two.ask('mutation { createArticle(input: { title: "Here", body: "and there" }) { id status } }')
    ).data.createArticle
    expect((await one.ask('query ($id: ID!) { article(id: $id) { title } }', { id: draft.id })).data).toEqual({
      article: { title: 'Here' },
    })
    expect((await one.ask('{ articles(first: 1, status: DRAFT) { id } }')).data.articles).toEqual([{ id: draft.id }])

    const native = createVisitor(here, patient)
    await native.signIn('reader@example.com', 'TOKEN')
    const elsewhere = createVisitor(there, patient)
    elsewhere.bearer = native.bearer
    expect((await elsewhere.ask('{ search(text: "the", first: 2) { __typename } }')).data.search).toHaveLength(2)
    const named = await elsewhere.ask('{ search(text: "otto other") { ... on Account { name } } }')
    expect(named.data.search).toEqual([{ name: 'Otto Other' }])
    // A draft that one may not read does not exist, as a place to go on from either.
    const after = 'query ($id: ID!) { articles(first: 20, after: $id) { id } }'
    expect((await elsewhere.ask(after, { id: draft.id })).data).toEqual({ articles: [] })
    expect((await one.ask(after, { id: draft.id })).data.articles.length).toBeGreaterThan(0)

    await one.ask('mutation { signOut }')
    expect((await two.ask(viewer)).status).toBe(401)
  })
})

describe('a start on servers that are not there', () => {
  const shared = { LATCHKEY_SECRET: randomBytes(32).toString('base64url'), PUBLIC_URL: 'http://127.0.0.1:4000' }

  test.each([
    ['DATABASE_URL', { DATABASE_URL: 'postgres://user:opensesame@127.0.0.1:1/x', ...shared }],
    ['REDIS_URL', { REDIS_URL: 'redis://user:opensesame@127.0.0.1:1' }],
  ])('names %s and never its password', async (name, environment) => {
    const { code, output } = await failToStart(environment)
    expect([code, output]).toEqual([1, expect.stringContaining(name)])
    expect(output).not.toContain('opensesame')
  })
})
