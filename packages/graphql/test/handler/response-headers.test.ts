import { AccessError, type AuthContext } from '@latchkey/graphql'
import { createSecurityHeaders, fromFetchRequest } from '@latchkey/http'
import { afterAll, beforeAll, describe, expect, onTestFinished, test } from 'vitest'
import {
  ask,
  bearer,
  cookie,
  graphqlResponse,
  json,
  policy,
  type Service,
  serve,
  sessionCookie,
} from '../support/service.ts'

let service: Service
beforeAll(async () => {
  service = await serve()
})
afterAll(() => service.close())

describe('every answer', () => {
  test.each([
    ['an answer', '{ hello }', 200],
    ['a refusal', '{ viewer }', 401],
    ['a parse error', '{', 400],
    ['a failure', '{ failHard(how: "unexpected") }', 500],
    ['an outage', '{ fail(how: "store") }', 503],
    ['a sign-in', 'mutation { signIn(password: "right") { ok } }', 200],
  ])('(%s) is kept by no cache and guessed by no browser', async (_what, query, status) => {
    const { headers, ...answer } = await ask(service, { query })
    expect(answer.status).toBe(status)
    expect(headers.get('cache-control')).toBe('no-store')
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test('brings the cookies that a resolver queued, an error too', async () => {
    const sent = async (password: string) => {
      const { status, headers } = await ask(service, { query: `mutation { signIn(password: "${password}") { ok } }` })
      return [status, headers.getSetCookie()[0]?.split(';')[0]]
    }
    expect(await sent('right')).toEqual([200, '__Host-session=attempt-5'])
    expect(await sent('INVALID_CREDENTIALS')).toEqual([401, '__Host-session=attempt-19'])
    expect(await sent('unexpected')).toEqual([500, '__Host-session=attempt-10'])
  })

  test('brings the headers that the context queued, but keeps its own', async () => {
    const context = ({ response }: { response: { setHeader(name: string, value: string): void } }) => {
      response.setHeader('X-Request-Id', '7')
      response.setHeader('Cache-Control', 'public, max-age=600')
      response.setHeader('Content-Type', 'text/html')
      return {}
    }
    const queueing = await serve({ context })
    for (const [query, headers] of [
      ['{ hello }', {}],
      ['{ fail(how: "FORBIDDEN") }', bearer('author')],
    ] as const) {
      const answer = await ask(queueing, { query, headers, accept: json })
      expect(answer.headers.get('x-request-id')).toBe('7')
      expect(answer.headers.get('cache-control')).toBe('no-store')
      expect(answer.headers.get('content-type')).toBe('application/json; charset=utf-8')
    }
    await queueing.close()
  })
})

describe('an invalid credential', () => {
  const sign = ({ headers }: { readonly headers: Headers }) => headers.get('latchkey-credential')
  const fine = '{ hello }'
  test.each<[string, Record<string, string>]>([
    ['a bearer token that is not valid', bearer('ended')],
    ['a malformed bearer token', { authorization: 'Bearer a b' }],
    ['two bearer tokens', { authorization: 'Bearer author, Bearer admin' }],
    ['a session that has ended', cookie('ended')],
    ['a cookie in odd case', { cookie: `${sessionCookie.name.toUpperCase()}=author` }],
    ['two session cookies', { cookie: `${sessionCookie.name}=author; ${sessionCookie.name}=admin` }],
    ['a bearer token that is not valid beside a good session', { ...bearer('ended'), ...cookie('author') }],
  ])('adds the header to a response of any status: %s', async (_what, headers) => {
    for (const [query, status] of [
      [fine, 200],
      ['{ viewer }', 401],
      ['{', 400],
      ['{ failHard(how: "unexpected") }', 500],
      ['{ fail(how: "store") }', 503],
      ['{ fail(how: "FORBIDDEN") }', 403],
    ] as const) {
      const answer = await ask(service, { query, headers })
      expect([answer.status, sign(answer), answer.headers.getSetCookie()]).toEqual([status, 'invalid', []])
    }
  })

  test('adds the header to a refusal of the rate, to a batch and to an unreadable body', async () => {
    const limited = await serve({ rateLimit: async () => ({ ok: false, retryAfterSeconds: 1 }) })
    onTestFinished(() => limited.close())
    const refused = await ask(limited, { query: fine, headers: cookie('ended') })
    expect([refused.status, sign(refused)]).toEqual([429, 'invalid'])
    const headers = { 'content-type': json, ...cookie('ended') }
    for (const body of ['{', '[{"query":"{ hello }"}]']) {
      expect(sign(await fetch(service.url, { method: 'POST', headers, body }))).toBe('invalid')
    }
  })

  test.each<[string, Record<string, string>]>([
    ['none', {}],
    ['a good bearer token', bearer('author')],
    ['a good session', cookie('author')],
    ['a good bearer token beside a session that has ended', { ...bearer('author'), ...cookie('ended') }],
    ['another scheme', { authorization: 'Basic YTpi' }],
    ['another cookie', { cookie: 'theme=dark' }],
    ['one that could not be looked up', bearer('down')],
    ['one of a forged request, which is not looked up', { ...cookie('ended'), 'sec-fetch-site': 'cross-site' }],
  ])('is the only one that adds the header, not %s', async (_what, headers) => {
    for (const query of [fine, '{ viewer }', '{']) expect(sign(await ask(service, { query, headers }))).toBeNull()
  })

  test('adds no header to a sign-in, and a header to a refused sign-in', async () => {
    const context = (base: AuthContext<typeof policy>) => {
      if (isEstablished) base.establish(policy.identify({ subject: 'author', roles: ['AUTHOR'] }))
      return {}
    }
    let isEstablished = true
    const signing = await serve({ context })
    onTestFinished(() => signing.close())
    const signIn = (password: string) => `mutation { signIn(password: "${password}") { ok } }`
    for (const headers of [cookie('ended'), bearer('ended')]) {
      const given = await ask(signing, { query: signIn('right'), headers })
      expect([given.status, sign(given)]).toEqual([200, null])
    }
    isEstablished = false
    const refused = await ask(signing, { query: signIn('INVALID_CREDENTIALS'), headers: cookie('ended') })
    expect([refused.status, sign(refused)]).toEqual([401, 'invalid'])
  })
})

describe('the option "headers"', () => {
  const security = createSecurityHeaders({ https: true }).api

  test.each([
    ['an answer', { method: 'GET' }, '/?query={hello}', 200],
    ['a parse error', { headers: { accept: graphqlResponse } }, '/?query={', 400],
    ['an identity that is missing', { method: 'GET' }, '/?query={viewer}', 401],
    [
      'a forged request',
      { headers: { cookie: '__Host-session=x', 'sec-fetch-site': 'cross-site' } },
      '/?query={hello}',
      403,
    ],
    ['a wrong method', { method: 'DELETE' }, '/', 405],
    ['nothing acceptable', { headers: { accept: 'text/html' } }, '/?query={hello}', 406],
    [
      'a body that is too long',
      { method: 'POST', headers: { 'content-type': json }, body: 'x'.repeat(200_000) },
      '/',
      413,
    ],
    ['a URL that is too long', { method: 'GET' }, `/?query={hello}&x=${'x'.repeat(9_000)}`, 414],
    ['no JSON', { method: 'POST', body: 'x' }, '/', 415],
    ['a failure', { method: 'GET' }, '/?query={failHard(how:"unexpected")}', 500],
    ['an outage', { method: 'GET' }, '/?query={fail(how:"store")}', 503],
  ])('is sent with every response: %s', async (_what, init, path, status) => {
    const secured = await serve({ headers: security })
    onTestFinished(() => secured.close())
    const response = await fetch(new URL(path, secured.url), { headers: { accept: json }, ...init } as RequestInit)
    expect(response.status).toBe(status)
    for (const [name, value] of security) expect([name, response.headers.get(name)]).toEqual([name, value])
    await response.body?.cancel()
  })

  test('yields to headers that a resolver queued', async () => {
    const context = ({ response }: { response: { setHeader(name: string, value: string): void } }) => {
      response.setHeader('cross-origin-resource-policy', 'cross-origin')
      return {}
    }
    const secured = await serve({ headers: security, context })
    onTestFinished(() => secured.close())
    const { headers } = await ask(secured, { query: '{ hello }' })
    expect(headers.get('cross-origin-resource-policy')).toBe('cross-origin')
    expect(headers.get('referrer-policy')).toBe('no-referrer')
  })

  test.each([
    ['no list', 7],
    ['no pair', ['X-Frame-Options', 'DENY']],
    ['a line break', [['X-Frame-Options', 'DENY\r\nSet-Cookie: a=b']]],
    ['a cookie', [['Set-Cookie', 'a=b']]],
    ['what each response decides', [['Cache-Control', 'public']]],
    ['what each response decides, in any case', [['CONTENT-TYPE', 'text/html']]],
  ])('is refused with %s', async (_what, headers) => {
    const error = await serve({ headers } as never).catch((thrown: unknown) => thrown)
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toContain('"headers"')
  })
})

test.each([
  ['MISDIRECTED_REQUEST', 421],
  ['BAD_REQUEST', 400],
] as const)('refuse responds with %s and status %i to any request', async (code, status) => {
  const head = { method: 'DELETE', headers: { accept: 'text/html' } }
  const request = fromFetchRequest(new Request('https://example.com/graphql', head))
  const response = service.handler.refuse(request, new AccessError(code, { message: 'Elsewhere.' }))
  expect([response.status, JSON.parse(String(response.body))]).toEqual([
    status,
    { errors: [{ message: 'Elsewhere.', extensions: { code } }] },
  ])
  expect(Object.fromEntries(response.headers)).toEqual({
    'content-type': 'application/json; charset=utf-8',
    'cache-control': 'no-store',
    'x-content-type-options': 'nosniff',
  })
})

test('the same handler answers Fetch requests', async () => {
  const response = await service.handler.fetch(new Request('https://example.com/graphql?query={hello}'))
  expect([response.status, await response.json()]).toEqual([200, { data: { hello: 'Hello you' } }])
})
