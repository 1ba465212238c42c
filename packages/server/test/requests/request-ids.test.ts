import { fromFetchRequest } from '@latchkey/http'
import type { ServerContext } from '@latchkey/server'
import { describe, expect, test } from 'vitest'
import { createBench, type policy } from '../support/bench.ts'

const own = /^[\w-]{16}$/
const json = { 'content-type': 'application/json' }
const form = { 'content-type': 'application/x-www-form-urlencoded' }
const stream = { ...json, accept: 'text/event-stream' }
const proxy = '10.0.0.7'

const requests: Readonly<Record<string, readonly [status: number, path: string, init?: RequestInit]>> = {
  'an answer': [200, '/graphql?query={hello}'],
  'an answer to a POST': [200, '/graphql', { method: 'POST', headers: json, body: '{"query":"{hello}"}' }],
  'no JSON': [400, '/graphql', { method: 'POST', headers: json, body: '{' }],
  'no one signed in': [401, '/graphql?query={viewer{id}}'],
  'a forged request': [
    403,
    '/graphql',
    { method: 'POST', headers: { ...json, cookie: '__Host-session=x', 'sec-fetch-site': 'cross-site' }, body: '{}' },
  ],
  'a wrong method': [405, '/graphql', { method: 'DELETE' }],
  'a long body': [413, '/graphql', { method: 'POST', headers: json, body: 'x'.repeat(200_000) }],
  'a failing resolver': [500, '/graphql?query={secretPlan}'],
  'a stream that is refused': [
    401,
    '/graphql/stream',
    { method: 'POST', headers: stream, body: '{"query":"{viewer{id}}"}' },
  ],
  'a page': [400, '/verify?token=t'],
  'a form': [400, '/reset', { method: 'POST', headers: form, body: 'token=t&password=x' }],
  'a forged form': [403, '/reset', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }],
  'a page with a wrong method': [405, '/verify', { method: 'DELETE' }],
  'nothing there': [404, '/nothing'],
  keys: [200, '/jwks'],
  'related origins of no passkeys': [404, '/.well-known/webauthn'],
  'a preflight of another origin': [
    403,
    '/graphql',
    { method: 'OPTIONS', headers: { origin: 'https://evil.example', 'access-control-request-method': 'POST' } },
  ],
  health: [200, '/healthz'],
  'health by HEAD': [200, '/healthz', { method: 'HEAD' }],
  readiness: [200, '/readyz'],
  'another host': [421, 'https://evil.example/graphql'],
}

describe.each(Object.entries(requests))('the response to %s', (_what, [status, path, init = {}]) => {
  const bench = createBench({ options: { http: { trustedProxies: ['10.0.0.0/8'] } } })
  const send = async (peerAddress: string, sent: string | null): Promise<string | null> => {
    const headers = { ...(init.headers as Record<string, string>), ...(sent !== null && { 'x-request-id': sent }) }
    const request = new Request(new URL(path, 'https://example.com'), { ...init, headers })
    const response = await bench.server.fetch(request, { peerAddress })
    await response.body?.cancel()
    expect(response.status).toBe(status)
    return response.headers.get('x-request-id')
  }

  test('has a new id', async () => {
    const ids = [await send('203.0.113.9', null), await send('203.0.113.9', null)]
    for (const id of ids) expect(id).toMatch(own)
    expect(ids[0]).not.toBe(ids[1])
  })

  test('has the id that a trusted proxy sends, but not the id of a client', async () => {
    expect(await send(proxy, 'edge-1.2~3_4')).toBe('edge-1.2~3_4')
    expect(await send('203.0.113.9', 'edge-1.2~3_4')).toMatch(own)
    expect(await send(proxy, 'a b')).toMatch(own)
    expect(await send(proxy, '7'.repeat(129))).toMatch(own)
  })
})

test('the responses of a service that cannot be opened have ids', async () => {
  const { server } = createBench({ options: { secrets: { load: () => Promise.reject(new Error('down')) } } })
  for (const path of [
    '/graphql?query={hello}',
    '/graphql/stream?query={hello}',
    '/verify?token=t',
    '/readyz',
    '/jwks',
  ]) {
    const { status, headers } = await server.fetch(new Request(new URL(path, 'https://example.com')))
    expect(status).toBeGreaterThanOrEqual(500)
    expect(headers.get('x-request-id')).toMatch(own)
  }
})

test.each([
  ['another host', { host: 'evil.example' }],
  ['another origin', { host: 'example.com', origin: 'https://evil.example', cookie: '__Host-session=x' }],
])('a handshake from %s is refused with an id', async (_what, headers: Readonly<Record<string, string>>) => {
  const typeDefs = 'type Query { hello: String! @public } type Subscription { ticks: Int! @public }'
  const { server } = createBench({ options: { typeDefs, resolvers: {} } as never })
  const request = {
    ...fromFetchRequest(new Request('https://example.com/graphql', { headers })),
    authority: null,
  }
  const handshake = await (await server.sockets()).accept(request)
  const sent = handshake.ok ? [] : handshake.response.headers
  expect(Object.fromEntries(sent)['X-Request-Id']).toMatch(own)
})

describe('resolvers', () => {
  const typeDefs = 'type Query { origin: String! @public, named: String! @public }'
  const resolvers = {
    Query: {
      origin: (_source: unknown, _args: object, context: ServerContext<typeof policy>) =>
        JSON.stringify([context.requestId, context.attempt()]),
      named: (_source: unknown, _args: object, { response }: ServerContext<typeof policy>) => {
        response.setHeader('X-Request-ID', 'of-the-application')
        return ''
      },
    },
  }
  const bench = createBench({ options: { typeDefs, resolvers } as never })
  const ask = async (query: string, headers = {}) => {
    const request = new Request(`https://example.com/graphql?query=${query}`, { headers })
    const response = await bench.server.fetch(request, { peerAddress: '2001:db8::7' })
    return { id: response.headers.get('x-request-id'), data: (await response.json()).data }
  }

  test('have the id of the response, and the origin of the request', async () => {
    const { id, data } = await ask('{origin}', { cookie: '__Host-device=a.b' })
    const attempt = { address: '2001:db8::/64', deviceToken: 'a.b', channel: 'native', requestId: id, userAgent: null }
    expect(JSON.parse(data.origin)).toEqual([id, attempt])
    expect(id).toMatch(own)
  })

  test('cannot give an answer another id', async () => {
    expect((await ask('{named}')).id).toMatch(own)
  })
})
