import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createBench, createMemoryStores } from '../support/bench.ts'
import { oneStream } from '../support/one-stream.ts'

const security = {
  'content-security-policy': expect.stringContaining("frame-ancestors 'none'"),
  'cross-origin-resource-policy': 'same-origin',
  'referrer-policy': expect.stringMatching(/^(?:no-referrer|same-origin)$/),
  'strict-transport-security': expect.stringContaining('max-age='),
  'x-content-type-options': 'nosniff',
  'x-frame-options': 'DENY',
}
const json = { 'content-type': 'application/json' }
const anyone = { ...json, cookie: '__Host-session=x', 'sec-fetch-site': 'cross-site' }
const stream = { ...json, accept: 'text/event-stream' }

const responses: Readonly<Record<string, readonly [status: number, path: string, init?: RequestInit]>> = {
  'an answer': [200, '/graphql?query={hello}'],
  'an answer to a POST': [200, '/graphql', { method: 'POST', headers: json, body: '{"query":"{hello}"}' }],
  'a broken document': [400, '/graphql?query={', { headers: { accept: 'application/graphql-response+json' } }],
  'no JSON': [400, '/graphql', { method: 'POST', headers: json, body: '{' }],
  'no one signed in': [401, '/graphql?query={viewer{id}}'],
  'a forged request': [403, '/graphql', { method: 'POST', headers: anyone, body: '{"query":"{hello}"}' }],
  'a wrong method': [405, '/graphql', { method: 'DELETE' }],
  'nothing acceptable': [406, '/graphql?query={hello}', { headers: { accept: 'text/html' } }],
  'a long body': [413, '/graphql', { method: 'POST', headers: json, body: 'x'.repeat(200_000) }],
  'a long URL': [414, `/graphql?query={hello}&x=${'x'.repeat(9_000)}`],
  'another content type': [415, '/graphql', { method: 'POST', body: '{}' }],
  'a failing resolver': [500, '/graphql?query={secretPlan}'],
  'a stream that is refused': [
    401,
    '/graphql/stream',
    { method: 'POST', headers: stream, body: '{"query":"{viewer{id}}"}' },
  ],
  'a stream with a wrong method': [405, '/graphql/stream', { method: 'DELETE' }],
  'a page': [400, '/verify?token=t'],
  'a page without its token': [400, '/verify'],
  'a page for everybody': [200, '/reset'],
  'a page with a wrong method': [405, '/verify', { method: 'DELETE' }],
  'a forged form': [403, '/reset', { method: 'POST', headers: { 'sec-fetch-site': 'cross-site' } }],
  'nothing there': [404, '/nothing'],
  health: [200, '/healthz'],
  'health by HEAD': [200, '/healthz', { method: 'HEAD' }],
  'health with a wrong method': [405, '/healthz', { method: 'POST' }],
  readiness: [200, '/readyz'],
  'another host': [421, 'https://evil.example/graphql'],
  'two hosts': [400, '/graphql', { headers: { host: 'example.com, example.com' } }],
}

describe('every response has the security headers', () => {
  const { server } = createBench()

  test.each(Object.entries(responses))('%s', async (_what, [status, path, init]) => {
    const response = await server.fetch(new Request(new URL(path, 'https://example.com'), init))
    expect(response.status).toBe(status)
    expect(Object.fromEntries(response.headers)).toMatchObject(security)
    // A header twice is two policies, or none.
    for (const value of response.headers.values()) expect(value).not.toMatch(/nosniff,|DENY,|same-origin,|no-referrer,/)
    await response.body?.cancel()
  })

  test.each(['/graphql?query={hello}', '/graphql/stream?query={hello}', '/verify', '/readyz'])(
    'while the stores are down, at %s',
    async (path) => {
      const check = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', '10.0.0.7 is down'))
      const down = createBench({ options: { stores: { ...createMemoryStores(), check } } })
      const post = { method: 'POST', headers: { 'sec-fetch-site': 'same-origin' } }
      const init = path === '/verify' ? post : {}
      const response = await down.server.fetch(new Request(`https://example.com${path}`, init))
      expect(response.status).toBe(503)
      expect(Object.fromEntries(response.headers)).toMatchObject(security)
    },
  )

  test('an open stream', async () => {
    const { server: streaming } = createBench({ options: oneStream as never })
    const response = await streaming.fetch(new Request('https://example.com/graphql/stream?query=subscription{ticks}'))
    expect([response.status, Object.fromEntries(response.headers)]).toMatchObject([200, security])
    await response.body?.cancel()
    await streaming.close()
  })

  test('except Strict-Transport-Security over http', async () => {
    const { server: plain } = createBench({ options: { baseUrl: 'http://127.0.0.1:4000' } })
    for (const path of ['/graphql?query={hello}', '/healthz', '/nothing']) {
      const { headers } = await plain.fetch(new Request(`http://127.0.0.1:4000${path}`))
      expect(headers.has('strict-transport-security')).toBe(false)
      expect(headers.get('x-frame-options')).toBe('DENY')
    }
  })
})
