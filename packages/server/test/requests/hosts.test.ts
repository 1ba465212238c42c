import { once } from 'node:events'
import { request } from 'node:http'
import { connect } from 'node:net'
import { text as readText } from 'node:stream/consumers'
import type { ServerEvent } from '@latchkey/server'
import { type Listener, listen } from '@latchkey/server/node'
import { afterAll, beforeAll, describe, expect, test, vi } from 'vitest'
import { WebSocket } from 'ws'
import { type Bench, createBench, password, typeDefs } from '../support/bench.ts'
import { outcomeOf, ownPage, signInMutation } from '../support/visitor.ts'

const loopback = 'http://127.0.0.1:4000'
const refused = [421, 'MISDIRECTED_REQUEST'] as const

/** The response to a request in process, with the host in its URL. */
async function ask({ server }: Bench, url: string, init: RequestInit = {}) {
  const response = await server.fetch(new Request(url, init))
  const text = await response.text()
  return { status: response.status, headers: response.headers, text, code: /"code":"(\w+)"/.exec(text)?.[1] ?? null }
}

describe('a request for a host that is not served', () => {
  const bench = createBench()

  test.each([
    ['GET', '/graphql?query={hello}'],
    ['POST', '/graphql'],
    ['DELETE', '/graphql'],
    ['GET', '/graphql/stream?query={hello}'],
    ['GET', '/verify?token=t'],
    ['POST', '/reset'],
    ['PUT', '/reset'],
    ['GET', '/nothing'],
    ['GET', '/healthz/x'],
    ['GET', '//healthz'],
  ])(
    'is 421 with %s %s, before anything else is looked at, and the body names the three settings',
    async (method, path) => {
      const answer = await ask(bench, `https://evil.example${path}`, { method })
      expect([answer.status, answer.code]).toEqual(refused)
      expect(answer.text).toContain('use the address in its baseUrl.')
      expect(answer.text).toContain('set baseUrl to that origin, or add it to http.allowedOrigins.')
      expect(answer.text).toContain('add it to http.allowedHosts.')
      expect(answer.text).not.toContain('evil.example')
      expect(answer.headers.get('content-type')).toMatch(/json/)
      expect(answer.headers.get('cache-control')).toBe('no-store')
    },
  )

  test.each(['/healthz', '/readyz', '/healthz?x=1'])('is answered at %s', async (path) => {
    expect((await ask(bench, `https://10.0.0.7:4000${path}`)).status).toBe(200)
  })

  test('does not sign in, although its browser considers the page a page of the service', async () => {
    const { email } = await bench.insert()
    const page = { ...ownPage, origin: 'https://evil.example' }
    const body = JSON.stringify({ query: signInMutation, variables: { input: { email, password } } })
    const headers = { ...page, 'content-type': 'application/json' }
    const answer = await ask(bench, 'https://evil.example/graphql', { method: 'POST', headers, body })
    expect([answer.status, answer.code, answer.headers.getSetCookie()]).toEqual([...refused, []])
  })

  test('does not open the service or read a store', async () => {
    const calls: string[] = []
    const around = (call: string, run: () => Promise<unknown>) => {
      calls.push(call)
      return run()
    }
    const closed = createBench({ around })
    await ask(closed, 'https://evil.example/graphql?query={hello}')
    await ask(closed, 'https://evil.example/verify', { method: 'POST' })
    expect(calls).toEqual([])
  })
})

describe('the hosts of a service', () => {
  test.each([
    ['its own', {}, 'https://example.com', 'https://EXAMPLE.com:443', 'https://www.example.com'],
    [
      'those of allowedOrigins',
      { http: { allowedOrigins: ['https://www.example.com', 'https://example.org:8443'] } },
      'https://www.example.com',
      'https://example.org:8443',
      'https://example.org',
    ],
    [
      'those of allowedHosts',
      { http: { allowedHosts: ['inner', '[2001:db8::1]:4000'] } },
      'http://inner',
      'http://[2001:DB8:0::1]:4000',
      'http://[2001:db8::1]',
    ],
    [
      'localhost beside 127.0.0.1, in development',
      { baseUrl: loopback },
      loopback,
      'http://localhost:4000',
      'http://localhost:4001',
    ],
    [
      '127.0.0.1 beside localhost, in development',
      { baseUrl: 'http://localhost:4000' },
      'http://localhost:4000',
      loopback,
      'http://127.0.0.2:4000',
    ],
  ])('are %s', async (_what, options, first, second, other) => {
    const bench = createBench({ options })
    expect((await ask(bench, `${first}/graphql?query={hello}`)).status).toBe(200)
    expect((await ask(bench, `${second}/graphql?query={hello}`)).status).toBe(200)
    const answer = await ask(bench, `${other}/graphql?query={hello}`)
    expect([answer.status, answer.code]).toEqual(refused)
  })

  test('exclude loopback in production, and for a service elsewhere', async () => {
    for (const options of [{}, { environment: 'development' as const }]) {
      const answer = await ask(createBench({ options }), 'https://localhost/graphql?query={hello}')
      expect([answer.status, answer.code]).toEqual(refused)
    }
  })

  test('may not send forged requests if they are only in allowedHosts: they are no origins', async () => {
    const bench = createBench({ options: { http: { allowedHosts: ['inner.example'] } } })
    const visitor = await bench.signedIn()
    const answer = await visitor.ask('{ hello }', {}, { origin: 'https://inner.example' })
    expect(outcomeOf(answer)).toEqual([403, 'CSRF_REJECTED'])
  })

  test.each([
    ['a list that is none', 'example.com'],
    ['an origin', ['https://example.com']],
    ['a path', ['example.com/graphql']],
    ['a pattern', ['*.example.com']],
    ['an empty text', ['']],
    ['two in one text', ['example.com, example.org']],
    ['a number', [4000]],
  ])('are refused with %s', (_what, allowedHosts) => {
    const create = () => createBench({ options: { http: { allowedHosts } } as never })
    expect(create).toThrow(TypeError)
    expect(create).toThrow('"http.allowedHosts": each is a host')
  })
})

describe('the event of a refused host', () => {
  const hostsOf = (events: readonly ServerEvent[]) =>
    events.flatMap((event) => (event.type === 'host.refused' ? [event.host] : []))

  test('is emitted once for each host and hour, and names the setting', async () => {
    const bench = createBench()
    const send = (host: string) => ask(bench, `https://${host}/graphql`)
    for (const host of ['a.example', 'b.example', 'A.example.', 'a.example']) await send(host)
    expect(bench.events).toMatchObject([
      { type: 'host.refused', at: bench.clock.time, host: 'a.example', setting: 'http.allowedHosts' },
      { type: 'host.refused', at: bench.clock.time, host: 'b.example', setting: 'http.allowedHosts' },
    ])
    bench.advance(3_599)
    await send('a.example')
    expect(bench.events).toHaveLength(2)
    bench.advance(1)
    await send('a.example')
    expect(hostsOf(bench.events)).toEqual(['a.example', 'b.example', 'a.example'])
  })

  test.each([
    ['a page posts', { origin: 'http://localhost:5173', 'sec-fetch-site': 'same-origin' }, 'http.allowedOrigins'],
    ['a browser opens a page', { 'sec-fetch-site': 'none' }, 'http.allowedOrigins'],
    ['a browser without Fetch Metadata posts', { origin: 'http://localhost:5173' }, 'http.allowedOrigins'],
    ['another program asks', {}, 'http.allowedHosts'],
  ])('names the setting that would allow it, if %s', async (_who, headers, setting) => {
    const bench = createBench()
    await ask(bench, 'http://localhost:5173/graphql', { headers })
    expect(bench.events).toMatchObject([{ type: 'host.refused', host: 'localhost:5173', setting }])
  })

  test('is emitted for at most a hundred hosts an hour, however many a client invents', async () => {
    const bench = createBench()
    for (let index = 0; index < 300; index++) await ask(bench, `https://h${index}.example/`)
    expect(hostsOf(bench.events)).toHaveLength(100)
    bench.advance(3_600)
    await ask(bench, 'https://h299.example/')
    expect(hostsOf(bench.events)).toHaveLength(101)
  })

  test('is a single line of the log without a listener', async () => {
    const print = vi.spyOn(console, 'error').mockReturnValue()
    const { server } = createBench({ options: { observe: { onEvent: undefined } } as never })
    for (let times = 0; times < 3; times++) await server.fetch(new Request('https://evil.example/'))
    expect(print.mock.calls).toEqual([[expect.stringMatching(/^latchkey: .*evil\.example.*allowedHosts/)]])
    print.mockRestore()
  })
})

describe('over sockets', () => {
  let bench: Bench
  let listener: Listener
  let own = ''
  beforeAll(async () => {
    const withEvents = `${typeDefs} type Subscription { ticks: Int @public }`
    bench = createBench({ options: { http: { trustedProxies: ['127.0.0.1'] }, typeDefs: withEvents } })
    listener = await listen(({ port }) => bench.at(port), { port: 0, closeOn: [] })
    own = `127.0.0.1:${listener.port}`
  })
  afterAll(() => listener.close())

  /** The status of a request that is written as it stands. */
  async function statusOf(...head: readonly string[]): Promise<number> {
    const socket = connect(listener.port, '127.0.0.1')
    socket.write([...head, 'Connection: close', '', ''].join('\r\n'))
    return Number((await readText(socket)).split(' ')[1])
  }
  const query = '/graphql?query={hello}'

  test('the host decides, also in the absolute form, from a proxy, and over HTTP/1.0', async () => {
    expect(await statusOf(`GET ${query} HTTP/1.1`, `Host: ${own}`)).toBe(200)
    expect(await statusOf(`GET ${query} HTTP/1.0`, 'Host: EXAMPLE.COM.')).toBe(200)
    expect(await statusOf(`GET ${query} HTTP/1.1`, 'Host: evil.example')).toBe(421)
    expect(await statusOf(`GET http://evil.example${query} HTTP/1.1`, `Host: ${own}`)).toBe(421)
    expect(await statusOf(`GET http://${own}${query} HTTP/1.1`, 'Host: evil.example')).toBe(200)
    expect(await statusOf(`GET ${query} HTTP/1.1`, 'Host: upstream', 'X-Forwarded-Host: example.com')).toBe(200)
    expect(await statusOf(`GET ${query} HTTP/1.1`, `Host: ${own}`, 'X-Forwarded-Host: evil.example')).toBe(421)
  })

  test('two Host headers and a missing one are 400, except for the probes', async () => {
    expect(await statusOf(`GET ${query} HTTP/1.1`, `Host: ${own}`, `Host: ${own}`)).toBe(400)
    expect(await statusOf(`GET ${query} HTTP/1.1`, `Host: ${own}`, 'Host: evil.example')).toBe(400)
    expect(await statusOf(`GET ${query} HTTP/1.0`)).toBe(400)
    expect(await statusOf('GET /healthz HTTP/1.0')).toBe(200)
    expect(await statusOf('GET /readyz HTTP/1.1', 'Host: 10.0.0.7')).toBe(200)
  })

  test('X-Forwarded-Host of a peer that is no proxy is ignored', async () => {
    const direct = createBench()
    const other = await listen(({ port }) => direct.at(port), { port: 0, closeOn: [] })
    const send = async (host: string): Promise<number | undefined> => {
      const headers = { host, 'x-forwarded-host': 'example.com' }
      const [response] = await once(request({ port: other.port, path: query, headers, agent: false }).end(), 'response')
      response.resume()
      return response.statusCode
    }
    expect([await send('evil.example'), await send(`127.0.0.1:${other.port}`)]).toEqual([421, 200])
    await other.close()
  })

  test.each([
    ['evil.example', 421, 'MISDIRECTED_REQUEST'],
    ['example.com, example.com', 400, 'BAD_REQUEST'],
  ])('a WebSocket of the host %s is not opened', async (host, status, code) => {
    const headers = { host, origin: 'http://evil.example' }
    const socket = new WebSocket(`ws://${own}/graphql`, ['graphql-transport-ws'], { headers })
    socket.on('error', () => undefined)
    const [, response] = await once(socket, 'unexpected-response')
    expect([response.statusCode, await readText(response)]).toEqual([status, expect.stringContaining(code)])
  })

  test('an upgrade to a service without subscriptions is answered like any other request', async () => {
    const plain = createBench()
    const other = await listen(({ port }) => plain.at(port), { port: 0, closeOn: [], print: null })
    const socket = new WebSocket(`ws://127.0.0.1:${other.port}/graphql?query={hello}`, ['graphql-transport-ws'])
    socket.on('error', () => undefined)
    const [, response] = await once(socket, 'unexpected-response')
    expect(response.statusCode).toBe(200)
    response.resume()
    await other.close()
  })

  test('a WebSocket of a host that is served is opened', async () => {
    const socket = new WebSocket(`ws://${own}/graphql`, ['graphql-transport-ws'], { headers: { host: 'example.com' } })
    await once(socket, 'open')
    socket.terminate()
  })
})
