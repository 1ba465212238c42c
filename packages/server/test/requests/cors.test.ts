import { once } from 'node:events'
import { connect } from 'node:net'
import { listen } from '@latchkey/server/node'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Bench, createBench, password } from '../support/bench.ts'
import { oneStream } from '../support/one-stream.ts'
import { signInMutation } from '../support/visitor.ts'

const page = 'https://app.example.org'
const corsOrigins = ['https://other.example', page]
const preflight = {
  'access-control-request-method': 'POST',
  'access-control-request-headers': 'authorization,content-type',
}

type Headings = Readonly<Record<string, string>>
interface Asked {
  readonly method?: string
  readonly path?: string
  readonly headers?: Headings
  readonly body?: string
}
interface Seen {
  readonly status: number
  readonly headers: Headers
  readonly text: string
}
type Ask = (asked: Asked) => Promise<Seen>

const query = (text: string, variables: object = {}): Asked => ({
  method: 'POST',
  headers: { 'content-type': 'application/json' },
  body: JSON.stringify({ query: text, variables }),
})

/** Sends the headers as they are, `Origin` and `Cookie` too, which `fetch` of Node.js would not. */
async function overSocket({ at }: Bench): Promise<Ask> {
  const listener = await listen(({ port }) => at(port), { port: 0, closeOn: [], print: null })
  onTestFinished(() => listener.close())
  return async ({ method = 'GET', path = '/graphql', headers = {}, body = '' }) => {
    const socket = connect(listener.port, '127.0.0.1')
    const all = { ...headers, host: `127.0.0.1:${listener.port}`, connection: 'close', 'content-length': body.length }
    const head = [`${method} ${path} HTTP/1.1`, ...Object.entries(all).map(([name, value]) => `${name}: ${value}`)]
    let heard = ''
    socket.setEncoding('utf8').on('data', (chunk) => {
      heard += chunk
    })
    socket.write([...head, '', body].join('\r\n'))
    await once(socket, 'close')
    const [top = '', text = ''] = heard.split(/\r\n\r\n(.*)/s, 2)
    const [statusLine = '', ...lines] = top.split('\r\n')
    const received = new Headers(lines.map((line) => line.split(/: (.*)/, 2) as [string, string]))
    return { status: Number(statusLine.split(' ')[1]), headers: received, text }
  }
}

const overFetch = async ({ server }: Bench): Promise<Ask> => {
  return async ({ method = 'GET', path = '/graphql', headers = {}, body }) => {
    const init = { method, headers, ...(body !== undefined && { body }) }
    const response = await server.fetch(new Request(`https://example.com${path}`, init))
    return { status: response.status, headers: response.headers, text: await response.text() }
  }
}

const from = (origin: string, { headers, ...asked }: Asked, more: Headings = {}): Asked => ({
  ...asked,
  headers: { ...headers, origin, ...more },
})
const codeIn = ({ text }: Seen) => /"code":"(\w+)"/.exec(text)?.[1] ?? null
const mayRead = ({ headers }: Seen) => headers.get('access-control-allow-origin')
const corsHeaders = ({ headers }: Seen) => [...headers.keys()].filter((name) => name.startsWith('access-control-'))

describe.each([
  ['over a socket', overSocket],
  ['on Fetch', overFetch],
] as const)('%s', (_adapter, adapt) => {
  test.each(['/graphql', '/graphql/stream'])(
    'a page of a listed origin may read answers of %s with a bearer',
    async (path) => {
      const bench = createBench({ options: { http: { corsOrigins } } })
      const ask = await adapt(bench)
      const before = await ask({ method: 'OPTIONS', path, headers: { origin: page, ...preflight } })
      expect([before.status, mayRead(before), before.headers.get('vary')]).toEqual([204, page, 'Origin'])
      expect(before.headers.get('access-control-allow-headers')?.toLowerCase().split(', ')).toEqual(
        expect.arrayContaining(['authorization', 'content-type', 'dpop']),
      )
      const stream = path === '/graphql' ? {} : { accept: 'text/event-stream' }
      const { bearer } = await bench.signedIn('READER', 'TOKEN')
      const asked = from(
        page,
        { ...query('{ viewer { id } }'), path },
        { authorization: `Bearer ${bearer}`, ...stream },
      )
      const answer = await ask(asked)
      // There is no query over a stream: its refusal can be read, too.
      expect(answer.status).toBe(path === '/graphql' ? 200 : 400)
      expect([mayRead(answer), answer.headers.get('vary')]).toEqual([page, 'Origin'])
      expect(answer.headers.get('access-control-expose-headers')?.split(', ')).toEqual([
        ...['WWW-Authenticate', 'DPoP-Nonce', 'Retry-After', 'X-Request-Id', 'X-CSRF-Token', 'Date'],
        ...['RateLimit', 'RateLimit-Policy', 'Latchkey-Credential'],
      ])
    },
  )

  test.each<[string, Asked, number, string | null]>([
    ['a 401', query('{ viewer { id } }'), 401, 'UNAUTHENTICATED'],
    ['a broken request', { ...query(''), body: '{' }, 400, 'BAD_REQUEST'],
    ['a wrong method', { method: 'DELETE' }, 405, 'METHOD_NOT_ALLOWED'],
    ['a wrong content type', { method: 'POST', headers: { 'content-type': 'text/plain' }, body: '{}' }, 415, null],
    ['a refused stream', { path: '/graphql/stream', headers: { accept: 'text/html' } }, 406, 'NOT_ACCEPTABLE'],
  ])('a page of a listed origin may read %s', async (_what, asked, status, code) => {
    const ask = await adapt(createBench({ options: { http: { corsOrigins } } }))
    const answer = await ask(from(page, asked))
    expect(answer.status).toBe(status)
    if (code) expect(codeIn(answer)).toBe(code)
    expect(mayRead(answer)).toBe(page)
  })

  test.each([
    'https://evil.example',
    'http://app.example.org',
    'https://app.example.org:8443',
    'https://app.example.org.evil.example',
    'null',
    '',
  ])('a page of %j may not', async (origin) => {
    const ask = await adapt(createBench({ options: { http: { corsOrigins } } }))
    const before = await ask({ method: 'OPTIONS', headers: { origin, ...preflight } })
    expect([before.status, corsHeaders(before)]).toEqual([403, []])
    const answer = await ask(from(origin, query('{ hello }')))
    expect([answer.status, corsHeaders(answer), answer.headers.get('vary')]).toEqual([200, [], 'Origin'])
  })

  test('it is closed by default', async () => {
    const ask = await adapt(createBench({ options: { http: { allowedHosts: ['app.example.org'] } } }))
    const before = await ask({ method: 'OPTIONS', headers: { origin: page, ...preflight } })
    expect([before.status, corsHeaders(before)]).toEqual([403, []])
    const answer = await ask(from(page, query('{ hello }')))
    expect([answer.status, corsHeaders(answer), answer.headers.get('vary')]).toEqual([200, [], null])
  })

  test.each<[string, Headings]>([
    ['without Fetch Metadata', {}],
    ['of another site', { 'sec-fetch-site': 'cross-site' }],
    ['of the same site', { 'sec-fetch-site': 'same-site' }],
  ])(
    'a listed page is foreign to the check against forged requests: with a cookie it is refused, %s',
    async (_who, more) => {
      const bench = createBench({ options: { http: { corsOrigins } } })
      const { jar, csrfToken } = await bench.signedIn('AUTHOR')
      const cookie = [...jar].map(([name, value]) => `${name}=${value}`).join('; ')
      const ask = await adapt(bench)
      for (const asked of [query('mutation { writeNote(text: "T") }'), query('{ viewer { id } }')]) {
        const answer = await ask(from(page, asked, { ...more, cookie, 'x-csrf-token': csrfToken ?? '' }))
        expect([answer.status, codeIn(answer), answer.headers.get('set-cookie')]).toEqual([403, 'CSRF_REJECTED', null])
        expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
        expect(answer.text).not.toContain('"data"')
      }
    },
  )

  test('nor can it sign anyone in, which would set cookies', async () => {
    const bench = createBench({ options: { http: { corsOrigins } } })
    const { email } = await bench.insert()
    const ask = await adapt(bench)
    const answer = await ask(from(page, query(signInMutation, { input: { email, password } })))
    expect([answer.status, codeIn(answer), answer.headers.get('set-cookie')]).toEqual([403, 'CSRF_REJECTED', null])
  })
})

test('the options of headers name what pages may send and read besides, and for how long a preflight holds', async () => {
  const headers = { corsAllowedHeaders: ['x-datadog-trace-id'], corsExposedHeaders: ['ETag'], corsMaxAgeSeconds: 60 }
  const ask = await overFetch(createBench({ options: { http: { corsOrigins, ...headers } } }))
  const before = await ask({ method: 'OPTIONS', headers: { origin: page, ...preflight } })
  expect(before.headers.get('access-control-allow-headers')).toMatch(/^Authorization, .*, x-datadog-trace-id$/)
  expect(before.headers.get('access-control-max-age')).toBe('60')
  const answer = await ask(from(page, query('{ hello }')))
  expect(answer.headers.get('access-control-expose-headers')).toMatch(/^WWW-Authenticate, .*, ETag$/)
  expect(answer.headers.get('access-control-allow-credentials')).toBeNull()
})

test('a preflight does not open the service or call a store', async () => {
  const calls: string[] = []
  const around = (call: string, run: () => Promise<unknown>) => {
    calls.push(call)
    return run()
  }
  const { server } = createBench({ around, options: { http: { corsOrigins } } })
  for (const origin of [page, 'https://evil.example']) {
    const headers = { origin, ...preflight }
    await server.fetch(new Request('https://example.com/graphql', { method: 'OPTIONS', headers }))
  }
  expect(calls).toEqual([])
})

test('a configured path is shared instead of the default path', async () => {
  const { server } = createBench({ options: { http: { corsOrigins }, graphql: { path: '/api/graphql' } } })
  const init = { method: 'OPTIONS', headers: { origin: page, ...preflight } }
  for (const [path, status] of [
    ['/api/graphql', 204],
    ['/api/graphql/stream', 204],
    ['/graphql', 404],
  ] as const) {
    expect((await server.fetch(new Request(`https://example.com${path}`, init))).status).toBe(status)
  }
})

test('a preflight for a host that is not served is refused like everything else', async () => {
  const { server } = createBench({ options: { http: { corsOrigins } } })
  const init = { method: 'OPTIONS', headers: { origin: page, ...preflight } }
  const { status, headers } = await server.fetch(new Request('https://evil.example/graphql', init))
  expect([status, headers.get('access-control-allow-origin')]).toEqual([421, null])
})

test('other routes are closed to every page', async () => {
  const { server } = createBench({ options: { http: { corsOrigins } } })
  for (const path of ['/verify?token=t', '/reset', '/healthz', '/readyz', '/nothing']) {
    for (const method of ['OPTIONS', 'GET']) {
      const init = { method, headers: { origin: page, ...preflight } }
      const { headers } = await server.fetch(new Request(`https://example.com${path}`, init))
      expect([...headers.keys()].filter((name) => name.startsWith('access-control'))).toEqual([])
    }
  }
})

test('every response to a preflight has the security headers', async () => {
  const { server } = createBench({ options: { http: { corsOrigins } } })
  for (const origin of [page, 'https://evil.example']) {
    const init = { method: 'OPTIONS', headers: { origin, ...preflight } }
    const { headers } = await server.fetch(new Request('https://example.com/graphql', init))
    expect([headers.get('x-content-type-options'), headers.get('x-frame-options')]).toEqual(['nosniff', 'DENY'])
  }
})

test('a stream that is open can be read by a listed page', async () => {
  const { server } = createBench({ options: { http: { corsOrigins }, ...oneStream } as never })
  const url = 'https://example.com/graphql/stream?query=subscription{ticks}'
  const response = await server.fetch(new Request(url, { headers: { origin: page } }))
  expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([200, page])
  expect(await response.text()).toContain('"ticks":1')
  await server.close()
})

test.each([
  ['"http.corsOrigins": each is an origin', { http: { corsOrigins: page } }],
  ['"http.corsOrigins": each is an origin', { http: { corsOrigins: ['*'] } }],
  ['"http.corsOrigins": each is an origin', { http: { corsOrigins: ['null'] } }],
  ['"http.corsOrigins": each is an origin', { http: { corsOrigins: [`${page}/`] } }],
  ['"http.corsOrigins": each is an origin', { http: { corsOrigins: ['app.example.org'] } }],
  ['"http.corsOrigins": each is an origin', { http: { corsOrigins: Symbol('allowAnyOrigin') } }],
  ...['*', 'Cookie', 'set-cookie', 'HOST', 'Forwarded', 'X-Forwarded-Host'].flatMap((name): [string, object][] => [
    ['"http.corsAllowedHeaders" must not name', { http: { corsAllowedHeaders: [name] } }],
    ['"http.corsExposedHeaders" must not name', { http: { corsExposedHeaders: [name] } }],
  ]),
  ['"http.corsAllowedHeaders": each is the name of one header', { http: { corsAllowedHeaders: ['a, b'] } }],
  ['"http.corsExposedHeaders": each is the name of one header', { http: { corsExposedHeaders: 'ETag' } }],
  ['"http.corsMaxAgeSeconds" must be a whole number', { http: { corsMaxAgeSeconds: -1 } }],
  ['"http.corsOrigins": each must be https: in production', { http: { corsOrigins: ['http://app.example.org'] } }],
  ...['null', 'file://', 'data:', 'blob:', 'about:blank', 'javascript://x', 'ws://app', 'ftp://app', '*'].map(
    (origin): [string, object] => ['"http.corsOrigins": each is an origin', { http: { corsOrigins: [origin] } }],
  ),
  ['"http.allowedOrigins": each is an origin', { http: { allowedOrigins: ['capacitor://localhost'] } }],
])('a server is refused at once: %s %#', (message, options) => {
  const create = () => createBench({ options: options as never })
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})
