import { once } from 'node:events'
import { connect, type Socket } from 'node:net'
import { listen } from '@latchkey/server/node'
import { expect, onTestFinished, test } from 'vitest'
import { createBench } from '../support/bench.ts'

const typeDefs = `
  type Query { hello: String! @public, hold: String! @public }
  type Subscription { ticks: Int! @public }
`

interface Site {
  readonly port: number
  /** How many queries were executed. */
  executed(): number
  /** Is called when the event loop is about to be held for 600 ms. */
  onHold: () => void
  open(): Promise<Socket>
}

async function serve(http: object, further: object = {}): Promise<Site> {
  let executed = 0
  const count = (): string => {
    executed++
    return 'done'
  }
  const hold = (): string => {
    site.onHold()
    const end = performance.now() + 600
    while (performance.now() < end);
    return count()
  }
  const resolvers = { Query: { hello: count, hold }, Subscription: { ticks: { subscribe: async function* () {} } } }
  const listener = await listen(
    ({ port }) =>
      createBench({ options: { baseUrl: `http://127.0.0.1:${port}`, typeDefs, resolvers, http, ...further } as never })
        .server,
    { port: 0, closeOn: [], print: null, drainMs: 0 },
  )
  onTestFinished(() => listener.close())
  const open = async (): Promise<Socket> => {
    const socket = connect({ host: '127.0.0.1', port: listener.port })
    onTestFinished(() => void socket.destroy())
    await once(socket, 'connect')
    await answerTo(socket, requestOf(listener.port, '{ hello }'))
    return socket
  }
  const site: Site = { port: listener.port, executed: () => executed, onHold: () => undefined, open }
  return site
}

function requestOf(port: number, query: string): string {
  const body = JSON.stringify({ query })
  const head = ['POST /graphql HTTP/1.1', `Host: 127.0.0.1:${port}`, 'Content-Type: application/json']
  return `${head.join('\r\n')}\r\nContent-Length: ${body.length}\r\n\r\n${body}`
}

async function answerTo(socket: Socket, text: string): Promise<string> {
  const answer = once(socket, 'data')
  socket.write(text)
  return String((await answer)[0])
}

/** Returns the responses to requests that arrive while another one holds the event loop, and how many queries were executed. */
async function askDuringHold(site: Site, texts: readonly string[]) {
  const [busy, ...others] = await Promise.all(['', ...texts].map(site.open))
  const before = site.executed()
  const asked = Promise.withResolvers<readonly string[]>()
  site.onHold = () => asked.resolve(Promise.all(others.map((socket, place) => answerTo(socket, texts[place] ?? ''))))
  if (busy) await answerTo(busy, requestOf(site.port, '{ hold }'))
  return { responses: await asked.promise, executed: site.executed() - before }
}

const get = (path: string): string => `GET ${path} HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n`
const statusOf = (response: string): string => response.slice(9, 12)

test('requests that have waited longer than the limit are refused with 503 and Retry-After, and not executed', async () => {
  const site = await serve({ maxLoopDelayMs: 300 })
  const query = requestOf(site.port, '{ hello }')
  const { responses, executed } = await askDuringHold(site, [query, query, query, get('/sign-in')])
  expect(responses.map(statusOf)).toEqual(['503', '503', '503', '503'])
  for (const response of responses) expect(response).toMatch(/\r\nretry-after: 1\r\n/i)
  expect(responses[0]).toContain('"code":"SERVICE_UNAVAILABLE"')
  expect(executed).toBe(1)
})

test('once the event loop is on time requests are answered again', async () => {
  const site = await serve({ maxLoopDelayMs: 300 })
  await askDuringHold(site, [])
  const socket = await site.open()
  await expect.poll(async () => statusOf(await answerTo(socket, requestOf(site.port, '{ hello }')))).toBe('200')
})

test('probes are answered while other requests are refused', async () => {
  const site = await serve({ maxLoopDelayMs: 300 })
  const query = requestOf(site.port, '{ hello }')
  const { responses } = await askDuringHold(site, [query, get('/healthz'), get('/readyz')])
  expect(responses.map(statusOf)).toEqual(['503', '200', '200'])
})

test('a request at /mcp is refused with an error of JSON-RPC, and reaches no tool', async () => {
  let reached = 0
  const respond = async () => {
    reached++
    return { status: 200, headers: [], body: null }
  }
  const apiKeys = { prefix: 'lk_', scopes: ['openid'] }
  const tools = { accounts: { apiKeys }, mcp: () => ({ verdicts: [], respond }) }
  const site = await serve({ maxLoopDelayMs: 300 }, tools)
  const { responses } = await askDuringHold(site, [get('/mcp')])
  expect(responses.map(statusOf)).toEqual(['503'])
  const [head = '', body = ''] = responses[0]?.split('\r\n\r\n') ?? []
  expect(head).toMatch(/\r\nretry-after: 1\r\n/i)
  expect(JSON.parse(body)).toMatchObject({
    jsonrpc: '2.0',
    error: { code: 503, data: { code: 'SERVICE_UNAVAILABLE' } },
  })
  expect(reached).toBe(0)
})

test('a WebSocket handshake is refused while the event loop is late', async () => {
  const site = await serve({ maxLoopDelayMs: 300 })
  const head = [`GET /graphql HTTP/1.1`, `Host: 127.0.0.1:${site.port}`, 'Connection: Upgrade', 'Upgrade: websocket']
  const words = ['Sec-WebSocket-Version: 13', 'Sec-WebSocket-Key: AAAAAAAAAAAAAAAAAAAAAA==']
  const handshake = [...head, ...words, 'Sec-WebSocket-Protocol: graphql-transport-ws'].join('\r\n')
  const { responses } = await askDuringHold(site, [`${handshake}\r\n\r\n`])
  expect(responses.map(statusOf)).toEqual(['503'])
})

test('no request is refused with a limit of Infinity', async () => {
  const site = await serve({ maxLoopDelayMs: Number.POSITIVE_INFINITY })
  const query = requestOf(site.port, '{ hello }')
  const { responses } = await askDuringHold(site, [query, query])
  expect(responses.map(statusOf)).toEqual(['200', '200'])
})

test.each([0, -1, Number.NaN, '5'])('createServer rejects a limit of %s', (maxLoopDelayMs) => {
  expect(() => createBench({ options: { http: { maxLoopDelayMs } } as never })).toThrow(
    new TypeError('"http.maxLoopDelayMs" must be a number of milliseconds from 1; Infinity refuses nothing'),
  )
})
