import { once } from 'node:events'
import { listen } from '@latchkey/server/node'
import { createMemoryBroadcast } from '@latchkey/store'
import { describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type Bench, createBench, password, type SignedIn } from '../support/bench.ts'

const typeDefs = `
  extend type Account { greeting: String! @public }
  type Query { hello: String! @public, secretPlan: String! @public }
  type Mutation { writeNote(text: String!): String! @requires(permissions: "notes:write") }
  type Subscription { noted: String! @authenticated, ticked: String! @public }`
const headers = { accept: 'text/event-stream', 'content-type': 'application/json' }
const post = (query: string, more: Record<string, string> = {}) => ({
  method: 'POST',
  headers: { ...headers, ...more },
  body: JSON.stringify({ query }),
})
const noted = 'subscription { noted }'
const patience = { timeout: 30_000, interval: 10 }

function createStreamingBench(beside?: Bench) {
  const broadcast = createMemoryBroadcast()
  const resolvers = {
    Query: { hello: () => 'Hello', secretPlan: () => '' },
    Mutation: { writeNote: () => '' },
    Account: { greeting: () => '' },
    Subscription: {
      noted: { subscribe: () => broadcast.listen('notes'), resolve: (text: string) => text },
      ticked: { subscribe: () => broadcast.listen('ticks'), resolve: (text: string) => text },
    },
  }
  const bench = createBench({
    options: { typeDefs, resolvers, graphql: { streamLimits: { recheckMs: 100 } } },
    ...(beside && { beside }),
  })
  return { ...bench, publish: (text: string) => broadcast.publish('notes', text) }
}

const credentialsOf = (visitor: SignedIn): Record<string, string> =>
  visitor.bearer
    ? { authorization: `Bearer ${visitor.bearer}` }
    : { cookie: [...visitor.jar].map(([name, value]) => `${name}=${value}`).join('; '), origin: 'https://example.com' }

/** Reads a stream through Fetch, as Bun, Deno and Workers would serve it. */
async function openStream({ server }: Bench, visitor: SignedIn) {
  const response = await server.fetch(
    new Request('https://example.com/graphql/stream', post(noted, credentialsOf(visitor))),
  )
  expect(response.status).toBe(200)
  const heard = { text: '', isOver: false }
  void (async () => {
    for await (const chunk of response.body!.pipeThrough(new TextDecoderStream())) heard.text += chunk
    heard.isOver = true
  })()
  await vi.waitFor(() => expect(heard.text).toBe(':\n\n'), patience)
  return heard
}

describe.each(['SESSION', 'TOKEN'] as const)('a stream of a user with a %s', (delivery) => {
  test('delivers events, and closes soon after the sign-out in another process', async () => {
    const here = createStreamingBench()
    const there = createStreamingBench(here)
    const visitor = await here.signedIn('READER', delivery)
    const heard = await openStream(here, visitor)
    await here.publish('first')
    await vi.waitFor(() => expect(heard.text).toContain('{"data":{"noted":"first"}}'), patience)
    const elsewhere = { ...credentialsOf(visitor), ...(visitor.csrfToken && { 'x-csrf-token': visitor.csrfToken }) }
    const signOut = post('mutation { signOut }', { ...elsewhere, accept: 'application/json' })
    await there.server.fetch(new Request('https://example.com/graphql', signOut))
    here.advance(1)
    await vi.waitFor(() => expect(heard.isOver).toBe(true), patience)
    expect(heard.text).toMatch(/UNAUTHENTICATED.*event: complete/s)
  })

  test('closes without a result after a step-up in another process', async () => {
    const here = createStreamingBench()
    const there = createStreamingBench(here)
    const visitor = await here.signedIn('READER', delivery)
    const heard = await openStream(here, visitor)
    const elsewhere = { ...credentialsOf(visitor), ...(visitor.csrfToken && { 'x-csrf-token': visitor.csrfToken }) }
    const query = `mutation { confirmPassword(input: { currentPassword: "${password}" }) { status } }`
    const confirm = post(query, { ...elsewhere, accept: 'application/json' })
    expect((await there.server.fetch(new Request('https://example.com/graphql', confirm))).status).toBe(200)
    here.advance(1)
    await vi.waitFor(() => expect(heard.isOver).toBe(true), patience)
    expect(heard.text).toBe(':\n\n')
  })

  test.each([
    ['is disabled', { status: 'disabled' as const }, 'UNAUTHENTICATED'],
    ['has other roles', { roles: ['AUTHOR'] }, ''],
    ['has signed out everywhere', { epoch: 1 }, 'UNAUTHENTICATED'],
  ])('closes when the account %s', async (_what, change, told) => {
    const bench = createStreamingBench()
    const visitor = await bench.signedIn('READER', delivery)
    const heard = await openStream(bench, visitor)
    await bench.stores.accounts.replace(visitor.account.id, {}, change)
    bench.advance(1)
    await vi.waitFor(() => expect(heard.isOver).toBe(true), patience)
    expect(heard.text).toContain(told)
    expect(heard.text.includes('complete')).toBe(told !== '')
  })

  test('closes when its session expires, to the second, without extending it', async () => {
    const bench = createStreamingBench()
    const heard = await openStream(bench, await bench.signedIn('READER', delivery))
    const minutes = delivery === 'TOKEN' ? 5 : 60
    for (let minute = 1; minute < minutes; minute++) {
      bench.advance(60)
      await bench.publish(`minute ${minute}.`)
      await vi.waitFor(() => expect(heard.text).toContain(`minute ${minute}.`), patience)
    }
    bench.advance(delivery === 'TOKEN' ? 10 * 60 + 59 : 59)
    await bench.publish('the last second')
    await vi.waitFor(() => expect(heard.text).toContain('the last second'), patience)
    bench.advance(1)
    await vi.waitFor(() => expect(heard.isOver).toBe(true), patience)
    // A refresh token leads to another access token.
    expect(heard.text.includes('UNAUTHENTICATED')).toBe(delivery === 'SESSION')
  })
})

test('listen serves sockets at /graphql, and closes them and all streams when it closes', async () => {
  const bench = createStreamingBench()
  const visitor = await bench.signedIn('READER', 'TOKEN')
  const listener = await listen(({ port }) => bench.at(port), { port: 0, closeOn: [], print: null })
  onTestFinished(() => listener.close())
  const url = `http://127.0.0.1:${listener.port}`
  const socket = new WebSocket(`${url.replace('http', 'ws')}/graphql`, ['graphql-transport-ws'])
  const heard: string[] = []
  socket.on('message', (data) => heard.push(data.toString()))
  await once(socket, 'open')
  socket.send(JSON.stringify({ type: 'connection_init', payload: credentialsOf(visitor) }))
  await vi.waitFor(() => expect(heard).toHaveLength(1), patience)
  socket.send(JSON.stringify({ id: '1', type: 'subscribe', payload: { query: noted } }))
  const response = await fetch(`${url}/graphql/stream`, post(noted, credentialsOf(visitor)))
  expect(response.status).toBe(200)
  const text = response.text()
  await vi.waitFor(async () => {
    await bench.publish('now')
    expect(heard.length).toBeGreaterThan(1)
  }, patience)
  const begun = Date.now()
  const [closed] = await Promise.all([once(socket, 'close'), listener.close()])
  expect([closed[0], String(closed[1])]).toEqual([1001, 'SERVICE_UNAVAILABLE'])
  expect(await text).not.toContain('complete')
  expect(Date.now() - begun).toBeLessThan(8_000)
})

test('an upgrade to another protocol, and sockets at other paths, are answered', async () => {
  const listener = await listen(createStreamingBench().server, { port: 0, closeOn: [], print: null })
  onTestFinished(() => listener.close())
  const url = `http://127.0.0.1:${listener.port}`
  const socket = new WebSocket(`${url.replace('http', 'ws')}/verify`)
  const [error] = await once(socket, 'error')
  expect(error.message).toContain('404')
})

test('a forged handshake with the session cookie is refused', async () => {
  const bench = createStreamingBench()
  const { cookie = '' } = credentialsOf(await bench.signedIn())
  const listener = await listen(({ port }) => bench.at(port), { port: 0, closeOn: [], print: null })
  onTestFinished(() => listener.close())
  const socket = new WebSocket(`ws://127.0.0.1:${listener.port}/graphql`, ['graphql-transport-ws'], {
    headers: { cookie, origin: 'https://evil.example' },
  })
  const [error] = await once(socket, 'error')
  expect(error.message).toContain('403')
})

test('a subscription sent to the endpoint, and a query sent to the streams, are refused with the right path', async () => {
  const { server } = createStreamingBench()
  const ticked = post('subscription { ticked }', { accept: 'application/graphql-response+json' })
  const wrong = await server.fetch(new Request('https://example.com/graphql', ticked))
  expect([wrong.status, await wrong.text()]).toEqual([400, expect.stringContaining('OPERATION_RESOLUTION_FAILURE')])
  const query = await server.fetch(new Request('https://example.com/graphql/stream', post('{ hello }')))
  expect([query.status, await query.text()]).toEqual([400, expect.stringContaining('OPERATION_RESOLUTION_FAILURE')])
})
