import { createMemoryDocumentStore } from '@latchkey/store'
import { describe, expect, test, vi } from 'vitest'
import { createBench } from '../support/bench.ts'
import { createOAuthBench, desk, type OAuthBench } from './support/oauth-bench.ts'

const origin = 'https://spa.example.org'
const listed = 'https://app.example.net'
const stranger = 'https://evil.example'
const preflight = { 'access-control-request-method': 'POST', 'access-control-request-headers': 'authorization,dpop' }
const viewer = JSON.stringify({ query: '{ viewer { id } }' })

function send(
  { server }: Pick<OAuthBench, 'server'>,
  path: string,
  init: { method?: string; headers: Record<string, string>; body?: string },
): Promise<Response> {
  return server.fetch(new Request(`https://example.com${path}`, init))
}

const mayRead = (response: Response) => response.headers.get('access-control-allow-origin')

describe('the pages of a public client', () => {
  test.each(['/graphql', '/graphql/stream', '/token', '/revoke', '/userinfo'])(
    'may call %s without cookies, and so may pages of corsOrigins',
    async (path) => {
      const bench = createOAuthBench({ options: { http: { corsOrigins: [listed] } } })
      for (const from of [origin, listed]) {
        const asked = await send(bench, path, { method: 'OPTIONS', headers: { origin: from, ...preflight } })
        expect([asked.status, mayRead(asked)]).toEqual([204, from])
        expect(asked.headers.get('access-control-allow-headers')).toContain('DPoP')
        const answered = await send(bench, path, { method: 'POST', headers: { origin: from }, body: 'x' })
        expect(mayRead(answered)).toBe(from)
        expect(answered.headers.get('vary')).toContain('Origin')
        expect(answered.headers.get('access-control-allow-credentials')).toBeNull()
        const exposed = answered.headers.get('access-control-expose-headers')
        for (const name of ['WWW-Authenticate', 'DPoP-Nonce', 'Retry-After']) expect(exposed).toContain(name)
      }
      for (const from of [stranger, 'https://desk.example.org', 'https://spa.example.org:444', 'null']) {
        const asked = await send(bench, path, { method: 'OPTIONS', headers: { origin: from, ...preflight } })
        expect([from, asked.status, mayRead(asked)]).toEqual([from, 403, null])
        expect(mayRead(await send(bench, path, { method: 'POST', headers: { origin: from }, body: 'x' }))).toBeNull()
      }
    },
  )

  test.each(['/authorize', '/par', '/introspect', '/device_authorization', '/end-session', '/sign-in', '/account'])(
    'cannot read %s',
    async (path) => {
      const bench = createOAuthBench({ options: { http: { corsOrigins: [listed] } } })
      for (const from of [origin, listed]) {
        expect(
          mayRead(await send(bench, path, { method: 'OPTIONS', headers: { origin: from, ...preflight } })),
        ).toBeNull()
        expect(mayRead(await send(bench, path, { headers: { origin: from } }))).toBeNull()
      }
    },
  )

  test.each([
    '/jwks',
    '/.well-known/openid-configuration',
    '/.well-known/oauth-authorization-server',
    '/.well-known/oauth-protected-resource/graphql',
  ])('may read %s, and so may all other pages', async (path) => {
    const response = await send(createOAuthBench(), path, { headers: { origin: stranger } })
    expect([response.status, mayRead(response)]).toEqual([200, '*'])
  })

  test('get an answer with a bearer, and the reason of a refusal', async () => {
    const bench = createOAuthBench()
    const { access_token: token } = await bench.give(await bench.signedIn())
    const headers = { origin, 'sec-fetch-site': 'cross-site', 'content-type': 'application/json' }
    const authorization = `Bearer ${token}`
    const answered = await send(bench, '/graphql', {
      method: 'POST',
      headers: { ...headers, authorization },
      body: viewer,
    })
    expect([answered.status, mayRead(answered)]).toEqual([200, origin])
    const refused = await send(bench, '/graphql', { method: 'POST', headers, body: viewer })
    expect([refused.status, mayRead(refused)]).toEqual([401, origin])
  })

  test.each([{}, { 'sec-fetch-site': 'cross-site' }, { 'sec-fetch-site': 'same-site' }])(
    'are refused with a cookie, with the metadata of a browser %o',
    async (metadata) => {
      const bench = createOAuthBench({ options: { http: { corsOrigins: [listed] } } })
      const owner = await bench.signedIn()
      const cookie = `__Host-session=${owner.jar.get('__Host-session')}`
      for (const from of [origin, listed]) {
        const headers = { origin: from, cookie, 'content-type': 'application/json', ...metadata }
        const response = await send(bench, '/graphql', { method: 'POST', headers, body: viewer })
        expect([response.status, await response.text()]).toEqual([403, expect.stringContaining('CSRF_REJECTED')])
      }
    },
  )

  test('are not called by a cookie at the endpoints for clients: it is not looked at', async () => {
    const bench = createOAuthBench()
    const owner = await bench.signedIn()
    const cookie = `__Host-session=${owner.jar.get('__Host-session')}`
    expect((await send(bench, '/userinfo', { headers: { cookie, origin } })).status).toBe(401)
    const form = await bench.giveCode(owner, { client: desk })
    const headers = { cookie, 'content-type': 'application/x-www-form-urlencoded', 'sec-fetch-site': 'cross-site' }
    const body = new URLSearchParams(form).toString()
    const response = await send(bench, '/token', { method: 'POST', headers, body })
    expect([response.status, response.headers.getSetCookie()]).toEqual([200, []])
  })

  test.each(['/graphql', '/token', '/revoke', '/userinfo'])(
    'are not looked up for a request to %s without an origin, whose response still varies',
    async (path) => {
      const plain = createOAuthBench()
      const documents = createMemoryDocumentStore()
      const list = vi.fn(documents.list)
      const listed = () => list.mock.calls.filter(([collection]) => collection === 'oauth-client')
      const stores = { ...plain.stores, documents: { ...documents, list } }
      const bench = createOAuthBench({ beside: { ...plain, stores } })
      const answered = await send(bench, path, { method: 'POST', headers: {}, body: 'x' })
      expect([listed().length, mayRead(answered)]).toEqual([0, null])
      expect(answered.headers.get('vary')).toContain('Origin')
      expect(mayRead(await send(bench, path, { method: 'POST', headers: { origin }, body: 'x' }))).toBe(origin)
      expect(listed()).toHaveLength(1)
    },
  )

  test('are known from the next minute on, and no longer a minute after the client is disabled', async () => {
    const bench = createOAuthBench()
    const { createClientRegistry } = await import('@latchkey/oauth/server')
    const registry = createClientRegistry({ documents: bench.stores.documents })
    const late = 'https://late.example.org'
    const ask = async () =>
      mayRead(await send(bench, '/graphql', { method: 'POST', headers: { origin: late }, body: 'x' }))
    expect(await ask()).toBeNull()
    const { client } = await registry.create({
      name: 'Late',
      authentication: ['none'],
      redirectUris: [`${late}/callback`],
      scopes: ['openid'],
    })
    bench.advance(61)
    expect(await ask()).toBe(late)
    await registry.disable(client.id)
    bench.advance(61)
    expect(await ask()).toBeNull()
  })
})

test('without an authorization server no page of a client may read anything, and its endpoints are not there', async () => {
  const bench = createBench({ options: { http: { corsOrigins: [listed] } } })
  const asked = await send(bench, '/graphql', { method: 'OPTIONS', headers: { origin, ...preflight } })
  expect([asked.status, mayRead(asked)]).toEqual([403, null])
  for (const path of ['/token', '/authorize', '/userinfo', '/.well-known/openid-configuration']) {
    for (const method of ['GET', 'OPTIONS']) {
      const answered = await send(bench, path, { method, headers: { origin: listed, ...preflight } })
      expect([path, answered.status, mayRead(answered)]).toEqual([path, 404, null])
    }
  }
})
