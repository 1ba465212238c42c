import { expectWithin } from '@latchkey/test-services'
import { describe, expect, inject, onTestFinished, test } from 'vitest'
import { nodeStart, startQuickstart, temporaryDirectory } from './support/start-quickstart.ts'
import { subscribe, transports, until } from './support/subscriber.ts'
import { createVisitor, type Visitor } from './support/visitor.ts'

const url = inject('quickstartUrl')
const published = 'subscription { articlePublished { id title status } }'
const added = (articleId: string) =>
  `subscription { commentAdded(articleId: "${articleId}") { id text article { id } } }`

async function signIn(who: string, delivery: 'SESSION' | 'TOKEN' = 'SESSION', at = url): Promise<Visitor> {
  const visitor = createVisitor(at)
  await visitor.signIn(`${who}@example.com`, delivery)
  return visitor
}

const write = async (author: Visitor, title: string): Promise<string> =>
  (await author.ask('mutation ($t: String!) { createArticle(input: { title: $t, body: "B" }) { id } }', { t: title }))
    .data.createArticle.id
const comment = (visitor: Visitor, articleId: string, text: string) =>
  visitor.ask('mutation ($a: ID!, $t: String!) { addComment(input: { articleId: $a, text: $t }) { id } }', {
    a: articleId,
    t: text,
  })

/** An event may come before the source is listened to: it is published again until a subscriber has received it. */
async function again(tell: () => Promise<unknown>, isHeard: () => boolean): Promise<void> {
  for (; !isHeard(); await new Promise((resolve) => setTimeout(resolve, 100))) await tell()
}

describe.each(transports)('over %s', (transport) => {
  test('a published article is announced to every subscriber, and a draft to none', async () => {
    const [author, editor] = [await signIn('author'), await signIn('editor')]
    const heard = await subscribe(url, transport, createVisitor(url), published)
    const titles: string[] = []
    await again(
      async () => {
        titles.push(`News ${titles.length}`)
        const id = await write(author, titles.at(-1) ?? '')
        await editor.ask('mutation ($id: ID!) { publishArticle(id: $id) { id } }', { id })
        // Published once, told once.
        await editor.ask('mutation ($id: ID!) { publishArticle(id: $id) { id } }', { id })
      },
      () => heard.data.length > 0,
    )
    expect(heard.data[0]).toEqual({
      articlePublished: { id: expect.any(String), title: expect.stringMatching(/^News/), status: 'PUBLISHED' },
    })
    expect(new Set(heard.data.map((event) => JSON.stringify(event))).size).toBe(heard.data.length)
  })

  test('comments on a draft are sent only to users who may read the draft', async () => {
    const [author, editor, reader] = [await signIn('author'), await signIn('editor', 'TOKEN'), await signIn('reader')]
    const draft = await write(author, 'Unfinished')
    const strangers = await subscribe(url, transport, reader, added(draft))
    const missing = await subscribe(url, transport, reader, added('art_nothing'))
    await until(() => strangers.ended && missing.ended)
    expect([strangers.codes, missing.codes]).toEqual([['NOT_FOUND'], ['NOT_FOUND']])
    const stranger = await subscribe(url, transport, createVisitor(url), added(draft))
    await until(() => stranger.ended)
    expect(stranger.codes).toEqual(['UNAUTHENTICATED'])
    const heard = await subscribe(url, transport, editor, added(draft))
    await again(
      () => comment(author, draft, 'A note to myself'),
      () => heard.data.length > 0,
    )
    expect(heard.data[0]).toMatchObject({ commentAdded: { text: 'A note to myself', article: { id: draft } } })
  })
})

test('a revocation in one process closes the streams of another within five seconds', async () => {
  const environment = { DATA_DIR: await temporaryDirectory() }
  const here = await startQuickstart(environment, nodeStart)
  onTestFinished(async () => void (await here.stop()))
  const there = await startQuickstart(environment, nodeStart)
  onTestFinished(async () => void (await there.stop()))
  const [reader, author, admin] = [
    await signIn('reader', 'SESSION', here.url),
    await signIn('author', 'TOKEN', here.url),
    await signIn('admin', 'SESSION', there.url),
  ]
  const [{ id: article }] = (await reader.ask('{ articles(first: 1) { id } }')).data.articles
  const { id: authorId } = (await author.ask('{ viewer { id } }')).data.viewer
  const open = (visitor: Visitor) =>
    Promise.all(transports.map((transport) => subscribe(here.url, transport, visitor, added(article))))
  const [revoked, changed] = [await open(reader), await open(author)]

  const elsewhere = createVisitor(there.url)
  for (const [name, value] of reader.cookies) elsewhere.cookies.set(name, value)
  elsewhere.csrfToken = reader.csrfToken
  const begun = performance.now()
  expect((await elsewhere.ask('mutation { signOut }')).data).toEqual({ signOut: true })
  await admin.ask('mutation ($id: ID!) { setRole(input: { accountId: $id, role: EDITOR }) { id } }', { id: authorId })
  await until(() => [...revoked, ...changed].every(({ ended }) => ended))
  expectWithin(
    5_000,
    'sign-out and a change of role in another process: streams ended after',
    performance.now() - begun,
  )
  expect(revoked.map(({ codes }) => codes)).toEqual([['UNAUTHENTICATED'], ['UNAUTHENTICATED']])
})
