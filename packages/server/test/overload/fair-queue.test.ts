import { once } from 'node:events'
import { Agent, request } from 'node:http'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import { setImmediate as turnOfLoop } from 'node:timers/promises'
import type { HttpRequest } from '@latchkey/http'
import { createFairQueue, type FairQueueOptions } from '@latchkey/http/fair-queue'
import type { ServerEvent } from '@latchkey/server'
import { listen } from '@latchkey/server/node'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { createBench } from '../support/bench.ts'

const busy = '127.0.0.2'
const quiet = '127.0.0.1'

/** The clock of the turns, in milliseconds. What a machine with other work adds to a request is not measured by it. */
let time = 0
beforeEach(() => {
  time = 1_000
  vi.spyOn(performance, 'now').mockImplementation(() => time)
  // The thread computes all the time.
  vi.spyOn(process, 'threadCpuUsage').mockImplementation(() => ({ user: time * 1_000, system: 0 }))
})
afterEach(() => void vi.restoreAllMocks())

function holdFor(milliseconds: number): string {
  time += milliseconds
  return 'done'
}

const typeDefs = `
  type Query { hello: String! @public, hold: String! @public }
  type Subscription { ticks: Int! @public }
`
const resolvers = {
  Query: { hello: () => 'Hello', hold: () => holdFor(100) },
  Subscription: { ticks: { subscribe: async function* () {} } },
}

async function serve(limits: FairQueueOptions | null = {}) {
  const fairQueue = limits && { fairQueue: (parts: FairQueueOptions) => createFairQueue({ ...parts, ...limits }) }
  const events: ServerEvent[] = []
  const onEvent = (event: ServerEvent) => void events.push(event)
  const listener = await listen(
    ({ port }) =>
      createBench({
        options: {
          baseUrl: `http://127.0.0.1:${port}`,
          typeDefs,
          resolvers,
          observe: { onEvent },
          http: { maxLoopDelayMs: Number.POSITIVE_INFINITY, ...fairQueue },
        } as never,
      }).server,
    { port: 0, closeOn: [], print: null, drainMs: 0 },
  )
  onTestFinished(() => listener.close())
  return { port: listener.port, events }
}

const agents: Agent[] = []
afterEach(() => {
  for (const agent of agents.splice(0)) agent.destroy()
})

type Headings = Readonly<Record<string, string>>

async function ask(port: number, from: string, query: string, { path = '/graphql', headers = {} as Headings } = {}) {
  const agent = new Agent({ localAddress: from })
  agents.push(agent)
  const body = path === '/graphql' ? JSON.stringify({ query }) : ''
  const all = { 'content-type': 'application/json', accept: 'application/graphql-response+json', ...headers }
  const sent = request({ host: '127.0.0.1', port, path, method: body ? 'POST' : 'GET', headers: all, agent }).end(body)
  const [response] = await once(sent, 'response')
  const text = await readText(response)
  return {
    status: response.statusCode as number,
    headers: response.headers,
    text,
    code: /"code":"(\w+)"/.exec(text)?.[1] ?? null,
  }
}

function requestOf(path: string, peerAddress = busy, query = ''): HttpRequest {
  const { signal } = new AbortController()
  const headers = new Map(Object.entries({ 'content-type': 'application/json', host: 'example.com' }))
  const method = query ? 'POST' : 'GET'
  return {
    method,
    target: path,
    headers,
    cookies: new Map(),
    peerAddress,
    signal,
    body: async () => JSON.stringify({ query }),
  }
}

/** An address takes more than its share, and another one is there. From then on time passes. */
async function overload(port: number): Promise<void> {
  // All at once, so that a slow machine does not let it take less of the time.
  await Promise.all(Array.from({ length: 24 }, () => ask(port, busy, '{ hold }')))
  const timer = setInterval(() => holdFor(5), 5)
  onTestFinished(() => clearInterval(timer))
  await ask(port, quiet, '{ hello }')
  await ask(port, busy, '{ hold }')
  await ask(port, quiet, '{ hello }')
}

/** Another address is there, as long as the test goes on. */
function stayThere(port: number): void {
  const timer = setInterval(() => void ask(port, quiet, '{ hello }').catch(() => null), 300)
  onTestFinished(() => clearInterval(timer))
}

test('unread bodies count for the address that sends them', async () => {
  const { port, events } = await serve()
  // Nothing of what it announces follows: the answer comes before.
  const announce = async (): Promise<number | undefined> => {
    const headers = { 'content-length': '1000000' }
    const sent = request({
      host: '127.0.0.1',
      port,
      path: '/nothing/here',
      method: 'POST',
      headers,
      localAddress: busy,
    })
    sent.on('error', () => null).flushHeaders()
    const [response] = await once(sent, 'response')
    sent.destroy()
    return response.statusCode
  }
  for (let sent = 0; sent < 110; sent++) expect(await announce()).toBe(404)
  const timer = setInterval(() => holdFor(5), 5)
  onTestFinished(() => clearInterval(timer))
  await ask(port, quiet, '{ hello }')
  for (let sent = 0; sent < 2; sent++) expect(await announce()).toBe(404)
  expect(events).toContainEqual(expect.objectContaining({ type: 'address.throttled', address: busy }))
})

describe('an address that exceeds its share of the event loop while other clients wait', () => {
  test('is answered 429 with Retry-After in the form of its path after a wait, unlike other addresses', async () => {
    const { port, events } = await serve({ waitMs: 200 })
    await overload(port)
    stayThere(port)
    const [graphql, page, honest] = await Promise.all([
      ask(port, busy, '{ hello }'),
      ask(port, busy, '', { path: '/sign-in' }),
      ask(port, quiet, '{ hello }'),
    ])
    expect(honest).toMatchObject({ status: 200, text: '{"data":{"hello":"Hello"}}' })
    expect(graphql).toMatchObject({ status: 429, code: 'RATE_LIMITED' })
    expect(page).toMatchObject({ status: 429 })
    expect(page.text).toBe('Too many requests from this address. Try again later.')
    for (const { headers } of [graphql, page]) {
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
      expect(headers).toMatchObject({ 'x-request-id': expect.any(String), 'x-frame-options': 'DENY' })
    }
    const slowed = events.filter(({ type }) => type === 'address.throttled')
    expect(slowed).toEqual([
      expect.objectContaining({ address: busy, share: expect.any(Number), setting: 'http.fairQueue' }),
    ])
  })

  test('has its probes answered at once, and a probe of another address makes no request wait', async () => {
    const { port } = await serve({ waitMs: 30_000 })
    for (let sent = 0; sent < 16; sent++) await ask(port, busy, '{ hold }')
    await ask(port, quiet, '', { path: '/readyz' })
    await ask(port, busy, '{ hold }')
    await ask(port, quiet, '', { path: '/healthz' })
    expect(await ask(port, busy, '{ hello }')).toMatchObject({ status: 200 })
    await overload(port)
    stayThere(port)
    const waits = ask(port, busy, '{ hello }').catch(() => null)
    for (const path of ['/healthz', '/readyz']) {
      const probe = ask(port, busy, '', { path })
      expect(await Promise.race([probe, waits])).toMatchObject({ status: 200, text: expect.stringContaining('ok') })
    }
  })

  test('gets one probe answered per turn of the event loop, for any number of concurrent probes', async () => {
    const { server } = createBench({ options: { http: { fairQueue: createFairQueue } } as never })
    await server.open()
    let answered = 0
    const probes = Array.from({ length: 20 }, async (_none, place) => {
      const path = place % 2 === 0 ? '/healthz' : '/readyz'
      const { status } = await server.handle(requestOf(path))
      expect(status).toBe(200)
      answered++
    })
    let turns = 0
    for (; answered < 20; turns++) await turnOfLoop()
    await Promise.all(probes)
    // The first one begins before the first turn ends.
    expect(turns).toBeGreaterThanOrEqual(19)
  })

  test('has its probes queued with its other requests, beyond 50 a second', async () => {
    const { server } = createBench({
      options: {
        typeDefs,
        resolvers,
        http: { fairQueue: createFairQueue, maxLoopDelayMs: Number.POSITIVE_INFINITY },
      } as never,
    })
    await server.open()
    const hold = () => server.handle(requestOf('/graphql', busy, '{ hold }'))
    for (let sent = 0; sent < 24; sent++) expect((await hold()).status).toBe(200)
    // What the last one took is charged before another address is there.
    await turnOfLoop()
    await server.handle(requestOf('/graphql', quiet, '{ hello }'))
    const held = hold()
    time++
    await held
    let answered = 0
    const probe = async () => {
      await server.handle(requestOf('/readyz'))
      answered++
    }
    const probes = Array.from({ length: 60 }, probe)
    for (let turn = 0; turn < 200; turn++) await turnOfLoop()
    expect(answered).toBe(50)
    // Their time is over.
    time += 10_000
    await Promise.all(probes)
    expect(answered).toBe(60)
  })

  test('is identified by its connection, for any headers', async () => {
    const { port } = await serve({ waitMs: 200 })
    await overload(port)
    stayThere(port)
    const spoofs = [
      { 'x-forwarded-for': '203.0.113.7' },
      { forwarded: 'for=203.0.113.7' },
      { 'x-real-ip': '203.0.113.7' },
    ]
    const answers = await Promise.all(spoofs.map((headers) => ask(port, busy, '{ hello }', { headers })))
    expect(answers.map(({ status }) => status)).toEqual([429, 429, 429])
  })

  test('is answered 503 if too many requests wait in total', async () => {
    const { port } = await serve({ waitMs: 2_000, waiting: 1 })
    await overload(port)
    stayThere(port)
    const first = ask(port, busy, '{ hello }')
    const others = await Promise.all([ask(port, busy, '{ hello }'), ask(port, busy, '{ hello }')])
    const refused = [...others, await first].filter(({ status }) => status === 503)
    expect(refused.length).toBeGreaterThanOrEqual(1)
    for (const { code, headers } of refused) {
      expect(code).toBe('SERVICE_UNAVAILABLE')
      expect(Number(headers['retry-after'])).toBeGreaterThanOrEqual(1)
    }
  })

  test('has new connections read a quarter of a second later, and closed if there are too many', async () => {
    const { port } = await serve({ waitingPerAddress: 2 })
    await overload(port)
    stayThere(port)
    const text = `GET / HTTP/1.1\r\nhost: 127.0.0.1:${port}\r\nx-long: ${'a'.repeat(20_000)}\r\n\r\n`
    const answerTo = async (localAddress: string) => {
      const started = Date.now()
      const socket = connect({ port, host: '127.0.0.1', localAddress }).on('error', () => null)
      onTestFinished(() => void socket.destroy())
      let answer = ''
      socket.setEncoding('latin1').on('data', (chunk) => {
        answer += chunk
      })
      socket.write(text)
      await once(socket, 'close').catch(() => null)
      return { status: answer.split(' ', 2)[1] ?? 'cut off', afterMs: Date.now() - started }
    }
    const answers = await Promise.all([busy, busy, busy, busy].map(answerTo))
    expect(new Set(answers.map(({ status }) => status))).toEqual(new Set(['431', 'cut off']))
    for (const { status, afterMs } of answers) if (status === '431') expect(afterMs).toBeGreaterThanOrEqual(240)
    expect(await answerTo(quiet)).toMatchObject({ status: '431' })
  })

  test('opens no socket meanwhile', async () => {
    const { port } = await serve({ waitMs: 200 })
    await overload(port)
    stayThere(port)
    const open = (localAddress: string) =>
      new Promise<number>((resolve) => {
        const socket = new WebSocket(`ws://127.0.0.1:${port}/graphql`, 'graphql-transport-ws', { localAddress })
        onTestFinished(() => socket.terminate())
        socket.on('open', () => resolve(101))
        socket.on('unexpected-response', (_request, { statusCode = 0 }) => resolve(statusCode))
        socket.on('error', () => null)
      })
    expect(await Promise.all([open(busy), open(quiet)])).toEqual([429, 101])
  })
})

test('every request starts at once without a fair queue', async () => {
  const { port, events } = await serve(null)
  await overload(port)
  expect(await ask(port, busy, '{ hello }')).toMatchObject({ status: 200 })
  expect(events.filter(({ type }) => type === 'address.throttled')).toEqual([])
})

test.each([
  [() => createFairQueue({ share: 2 }), '"share" must be a number from 0.01 to 1'],
  [{}, '"http.fairQueue" must be createFairQueue, or a function that calls it'],
  [null, '"http.fairQueue" must be createFairQueue, or a function that calls it'],
])('createServer rejects a fair queue that cannot be created: %s', (fairQueue, message) => {
  expect(() => createBench({ options: { http: { fairQueue } } as never })).toThrow(new TypeError(message))
})
