import { allowAnyOrigin, createCors, createHttpHandler, type HttpResponse } from '@latchkey/http'
import { createCorsFinder } from '@latchkey/http/internal'
import { toNodeListener } from '@latchkey/http/node'
import { describe, expect, test } from 'vitest'
import { exchange, serve, write } from './raw-client.ts'

type Options = Parameters<typeof createCors>[0]

const listed = 'https://app.example.org'
const sentHeaders =
  'Authorization, Content-Type, DPoP, Last-Event-ID, X-CSRF-Token, MCP-Protocol-Version, Mcp-Method, Mcp-Name, traceparent, tracestate, baggage, sentry-trace, X-Request-Id, ' +
  'apollo-require-preflight, apollographql-client-name, apollographql-client-version'
const readHeaders =
  'WWW-Authenticate, DPoP-Nonce, Retry-After, X-Request-Id, X-CSRF-Token, Date, RateLimit, RateLimit-Policy, Latchkey-Credential'
const asked = ['Access-Control-Request-Method: POST', 'Access-Control-Request-Headers: authorization,content-type']

/** Answers preflights and counts the requests that come behind them. */
function createService(options: Options, reply: HttpResponse = { status: 200, headers: [], body: 'data' }) {
  const cors = createCors(options)
  let handled = 0
  const handler = createHttpHandler(async (request) => {
    const preflight = cors.preflight(request)
    if (preflight) return preflight
    handled++
    return cors.share(request, reply)
  })
  return { handler, handled: () => handled }
}

interface Seen {
  readonly status: number
  readonly headers: Headers
}

type Send = (method: string, headers: readonly string[]) => Promise<Seen>
type Adapter = (handler: ReturnType<typeof createHttpHandler>) => Send

const overNode: Adapter = (handler) => async (method, lines) => {
  const text = await exchange(await serve(toNodeListener(handler)), write([`${method} / HTTP/1.1`, ...lines]))
  const [statusLine = '', ...head] = (text.split('\r\n\r\n', 1)[0] ?? '').split('\r\n')
  const headers = new Headers(head.map((line) => line.split(/: (.*)/, 2) as [string, string]))
  return { status: Number(statusLine.split(' ')[1]), headers }
}

const overFetch: Adapter = (handler) => async (method, lines) => {
  const headers = lines.map((line) => line.split(/: (.*)/, 2) as [string, string])
  return handler.fetch(new Request('https://example.com/', { method, headers }))
}

const corsHeaders = ({ headers }: Seen) => [...headers.keys()].filter((name) => name.startsWith('access-control-'))

describe.each<[string, Adapter]>([
  ['node:http, over a socket', overNode],
  ['Fetch', overFetch],
])('on %s', (_adapter, adapter) => {
  test('a preflight of a listed origin is answered before the handler, for bearer tokens and without credentials', async () => {
    const { handler, handled } = createService({ origins: ['https://other.example', listed] })
    const reply = await adapter(handler)('OPTIONS', [`Origin: ${listed}`, ...asked])
    expect(reply.status).toBe(204)
    expect(Object.fromEntries([...reply.headers].filter(([name]) => /^(access-control|vary)/.test(name)))).toEqual({
      'access-control-allow-origin': listed,
      'access-control-allow-methods': 'GET, POST',
      'access-control-allow-headers': sentHeaders,
      'access-control-max-age': '7200',
      vary: 'Origin',
    })
    expect(handled()).toBe(0)
  })

  test.each([
    ['of another origin', ['Origin: https://evil.example']],
    ['of the listed host with another scheme', ['Origin: http://app.example.org']],
    ['of the listed host with a port', ['Origin: https://app.example.org:8443']],
    ['of a host that ends like the listed one', ['Origin: https://evilapp.example.org']],
    ['of a host that begins like the listed one', ['Origin: https://app.example.org.evil.example']],
    ['of the listed host in upper case, as no browser writes it', ['Origin: https://APP.example.org']],
    ['of an opaque origin', ['Origin: null']],
    ['of two origins', [`Origin: ${listed}`, 'Origin: https://evil.example']],
  ])(
    'a preflight %s is refused before the handler, and a request gets no header to read it by',
    async (_who, origin) => {
      const { handler, handled } = createService({ origins: [listed] })
      const preflight = await adapter(handler)('OPTIONS', [...origin, ...asked])
      expect([preflight.status, corsHeaders(preflight), preflight.headers.get('vary')]).toEqual([403, [], 'Origin'])
      expect(handled()).toBe(0)
      const reply = await adapter(handler)('POST', origin)
      expect([reply.status, corsHeaders(reply), reply.headers.get('vary')]).toEqual([200, [], 'Origin'])
    },
  )

  test('a listed origin may read a refusal with its challenge, and no page with cookies may', async () => {
    const refusal = { status: 401, headers: [['WWW-Authenticate', 'Bearer']] as const, body: 'why' }
    const { handler } = createService({ origins: [listed] }, refusal)
    const reply = await adapter(handler)('POST', [`Origin: ${listed}`, 'Cookie: __Host-session=se_1'])
    expect(reply.status).toBe(401)
    expect(reply.headers.get('access-control-allow-origin')).toBe(listed)
    expect(reply.headers.get('access-control-expose-headers')).toBe(readHeaders)
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull()
  })

  test('a request without an origin varies by it too, so that no cache hands its answer to a page', async () => {
    const headers = [['Vary', 'Accept']] as const
    const { handler } = createService({ origins: [listed] }, { status: 200, headers, body: null })
    const reply = await adapter(handler)('GET', [])
    expect([corsHeaders(reply), reply.headers.get('vary')]).toEqual([[], 'Accept, Origin'])
  })

  test('CORS headers of the handler are replaced', async () => {
    const headers = [
      ['access-control-allow-origin', '*'],
      ['Access-Control-Allow-Credentials', 'true'],
      ['Vary', 'Accept-Language'],
      ['Vary', 'Origin'],
      ['X-Kept', 'yes'],
    ] as const
    const { handler } = createService({ origins: [listed] }, { status: 200, headers, body: null })
    const reply = await adapter(handler)('GET', [`Origin: ${listed}`])
    expect(reply.headers.get('access-control-allow-origin')).toBe(listed)
    expect(reply.headers.get('access-control-allow-credentials')).toBeNull()
    expect(reply.headers.get('vary')).toBe('Accept-Language, Origin')
    expect(reply.headers.get('x-kept')).toBe('yes')
  })

  test('with credentials, only listed origins may read responses to cookies', async () => {
    const { handler } = createService({ origins: [listed], credentials: true })
    for (const [origin, allowed] of [
      [listed, 'true'],
      ['https://evil.example', null],
      ['null', null],
    ] as const) {
      const preflight = await adapter(handler)('OPTIONS', [`Origin: ${origin}`, ...asked])
      expect(preflight.headers.get('access-control-allow-credentials')).toBe(allowed)
      const reply = await adapter(handler)('POST', [`Origin: ${origin}`, 'Cookie: __Host-session=se_1'])
      expect(reply.headers.get('access-control-allow-credentials')).toBe(allowed)
      expect([reply.headers.get('access-control-allow-origin'), reply.headers.get('vary')]).toEqual([
        allowed && listed,
        'Origin',
      ])
    }
  })

  test('an empty list of origins shares no response', async () => {
    const { handler, handled } = createService({ origins: [] })
    const preflight = await adapter(handler)('OPTIONS', [`Origin: ${listed}`, ...asked])
    expect([preflight.status, corsHeaders(preflight), handled()]).toEqual([403, [], 0])
    const reply = await adapter(handler)('POST', [`Origin: ${listed}`])
    expect([reply.status, corsHeaders(reply), reply.headers.get('vary')]).toEqual([200, [], null])
  })

  test('allowAnyOrigin lets every page read, and no response varies', async () => {
    const { handler } = createService({ origins: allowAnyOrigin })
    const preflight = await adapter(handler)('OPTIONS', ['Origin: null', ...asked])
    expect([preflight.status, preflight.headers.get('access-control-allow-origin')]).toEqual([204, '*'])
    const reply = await adapter(handler)('GET', ['Origin: https://anyone.example'])
    expect([reply.headers.get('access-control-allow-origin'), reply.headers.get('vary')]).toEqual(['*', null])
  })
})

test.each([
  ['OPTIONS without an origin', 'OPTIONS', asked],
  ['OPTIONS that asks for no method', 'OPTIONS', [`Origin: ${listed}`]],
  ['another method', 'POST', [`Origin: ${listed}`, ...asked]],
])('%s is no preflight', async (_what, method, headers) => {
  const { handler, handled } = createService({ origins: [listed] })
  expect((await overFetch(handler)(method, headers)).status).toBe(200)
  expect(handled()).toBe(1)
})

test.each<[string, unknown]>([
  ['no list', undefined],
  ['a text', listed],
  ['a wildcard', ['*']],
  ['a wildcard host', ['https://*.example.org']],
  ['null', ['null']],
  ['a slash at the end', [`${listed}/`]],
  ['a path', [`${listed}/app`]],
  ['no scheme', ['app.example.org']],
  ['another scheme', ['ftp://app.example.org']],
  ['upper case', ['https://APP.example.org']],
  ['a default port', ['https://app.example.org:443']],
  ['user information', ['https://a@app.example.org']],
  ['a final dot and a port that is none', ['https://app.example.org:99999']],
  ['not in ASCII', ['https://äpp.example.org']],
  ...['null', 'file', 'data', 'blob', 'about', 'javascript', 'ws', 'wss', 'ftp', 'filesystem', '*'].flatMap(
    (scheme): [string, unknown][] => [
      [`${scheme}: alone`, [`${scheme}:`]],
      [`${scheme}: with slashes`, [`${scheme}://`]],
      [`${scheme}: with a host`, [`${scheme}://localhost`]],
    ],
  ),
  ...[
    'capacitor:localhost',
    'capacitor:/localhost',
    'capacitor:///localhost',
    'capacitor://',
    'capacitor://localhost/',
    'capacitor://localhost/app',
    'capacitor://localhost?a',
    'capacitor://localhost#a',
    'capacitor://localhost:',
    'capacitor://localhost:080',
    'capacitor://localhost:99999',
    'capacitor://a@localhost',
    'capacitor://a:b@localhost',
    'capacitor://*',
    'capacitor://*.localhost',
    'capacitor://lócalhost',
    'capacitor://local host',
    'capacitor://localhost\n',
    ' capacitor://localhost',
    'Capacitor://localhost',
    'CAPACITOR://localhost',
    '1app://localhost',
    '-app://localhost',
    '://localhost',
    'capacitor://localhost, https://evil.example',
  ].map((origin): [string, unknown] => [JSON.stringify(origin), [origin]]),
])('origins that are %s are refused', (_what, origins) => {
  const create = () => createCors({ origins } as Options)
  expect(create).toThrow(TypeError)
  expect(create).toThrow('"origins"')
})

test.each([
  'capacitor://localhost',
  'ionic://localhost:8080',
  'tauri://localhost',
  'app://bundle.example',
  'chrome-extension://aaaabbbbccccddddeeeeffffgggghhhh',
  'safari-web-extension://0E30F4C6-1111-2222-3333-444455556666',
  'com.example.app://localhost',
])('an application shell at %s is listed like a page, to the letter, and never with credentials', async (origin) => {
  const { handler } = createService({ origins: [origin] })
  const reply = await overFetch(handler)('POST', [`Origin: ${origin}`])
  expect(reply.headers.get('access-control-allow-origin')).toBe(origin)
  expect(reply.headers.get('access-control-allow-credentials')).toBeNull()
  for (const other of [`${origin}.evil`, `x${origin}`, origin.toUpperCase(), `${origin}/`, 'null']) {
    expect((await overFetch(handler)('OPTIONS', [`Origin: ${other}`, ...asked])).status).toBe(403)
    expect(corsHeaders(await overFetch(handler)('POST', [`Origin: ${other}`]))).toEqual([])
  }
  expect(() => createCors({ origins: [origin], credentials: true })).toThrow('"origins"')
})

test.each<[string, Options]>([
  ['every origin', { origins: allowAnyOrigin, credentials: true }],
  ['a word', { origins: [listed], credentials: 'include' as never }],
])('credentials for %s are refused', (_what, options) => {
  expect(() => createCors(options)).toThrow(TypeError)
  expect(() => createCors(options)).toThrow('"credentials"')
})

describe('further headers', () => {
  test('are named after the usual ones, each once, and a preflight is remembered for as long as the option says', async () => {
    const further = { allowedHeaders: ['x-datadog-origin', 'AUTHORIZATION'], exposedHeaders: ['ETag', 'date', 'etag'] }
    const { handler } = createService({ origins: [listed], ...further, maxAgeSeconds: 0 })
    const preflight = await overFetch(handler)('OPTIONS', [`Origin: ${listed}`, ...asked])
    expect(preflight.headers.get('access-control-allow-headers')).toBe(`${sentHeaders}, x-datadog-origin`)
    expect(preflight.headers.get('access-control-max-age')).toBe('0')
    const reply = await overFetch(handler)('POST', [`Origin: ${listed}`])
    expect(reply.headers.get('access-control-expose-headers')).toBe(`${readHeaders}, ETag`)
  })

  test.each([
    ['*'],
    ['cookie'],
    ['Set-Cookie'],
    ['Host'],
    ['FORWARDED'],
    ['x-forwarded-for'],
    ['X-Forwarded-Anything'],
    ['x-forwarded-'],
    [''],
    ['two words'],
    ['a, b'],
    ['a\r\nSet-Cookie: a=1'],
    [1],
  ])('named %j are refused', (name) => {
    for (const option of ['allowedHeaders', 'exposedHeaders']) {
      const create = () => createCors({ origins: [listed], [option]: ['X-Fine', name] } as Options)
      expect(create).toThrow(TypeError)
      expect(create).toThrow(`"${option}"`)
    }
  })

  test.each([['x-fine'], [null], [{}]])('are refused as a list of %j', (names) => {
    expect(() => createCors({ origins: [listed], allowedHeaders: names } as never)).toThrow('"allowedHeaders"')
    expect(() => createCors({ origins: [listed], exposedHeaders: names } as never)).toThrow('"exposedHeaders"')
  })

  test.each([-1, 0.5, 86_401, Number.NaN, '60', null])('are refused with %j as the age of a preflight', (age) => {
    expect(() => createCors({ origins: [], maxAgeSeconds: age } as never)).toThrow('"maxAgeSeconds"')
  })
})

const page = 'https://app.example.org'
const findCors = createCorsFinder()
const reply: HttpResponse = { status: 200, headers: [], body: 'for listed pages' }

const requestOf = (origin: string | null) => ({
  headers: new Map(origin === null ? [] : [['origin', origin]]),
})
const readableBy = async (origin: string, list: () => Promise<readonly string[]>) => {
  const cors = await findCors(requestOf(origin), list)
  return new Map(cors.share(requestOf(origin), reply).headers).get('Access-Control-Allow-Origin') ?? null
}

describe('a list of origins that changes', () => {
  test('lets the pages read that are on it at the time of the request', async () => {
    let origins: readonly string[] = []
    const list = async () => origins
    expect(await readableBy(page, list)).toBeNull()
    origins = [page]
    expect(await readableBy(page, list)).toBe(page)
    expect(await readableBy('https://other.example.org', list)).toBeNull()
    origins = []
    expect(await readableBy(page, list)).toBeNull()
  })

  test('is not read for a request without an origin, whose response varies too', async () => {
    const list = () => Promise.reject(new Error('asked for'))
    const cors = await findCors(requestOf(null), list)
    expect(cors.share(requestOf(null), reply).headers).toEqual([['Vary', 'Origin']])
  })

  test('is parsed once while it is the same array', async () => {
    const origins = [page]
    const list = async () => origins
    expect(await findCors(requestOf(page), list)).toBe(await findCors(requestOf(page), list))
    expect(await findCors(requestOf(page), async () => [page])).not.toBe(await findCors(requestOf(page), list))
  })

  test('rejects with the error of listOrigins', async () => {
    const failure = new Error('the store does not answer')
    await expect(findCors(requestOf(page), () => Promise.reject(failure))).rejects.toBe(failure)
  })

  test.each(['https://app.example.org/', '*', 'null'])('is refused if it contains %s', async (origin) => {
    await expect(findCors(requestOf(page), async () => [origin])).rejects.toThrow(TypeError)
  })
})
