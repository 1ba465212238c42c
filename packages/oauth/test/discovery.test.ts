import { createClientRegistry } from '@latchkey/oauth/server'
import { createMemoryDocumentStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createProvider, issuer } from './support/provider.ts'

const paths = ['/.well-known/openid-configuration', '/.well-known/oauth-authorization-server']

describe('discovery', () => {
  test.each(paths)('%s names every endpoint below the issuer, for any host of the request', async (path) => {
    const { server, openBrowser } = await createProvider({ signOut: () => [] })
    const browser = openBrowser()
    const response = await browser.get(path, { host: 'evil.example', 'x-forwarded-host': 'evil.example' })
    const document = await response.json()
    expect(response.headers.get('content-type')).toBe('application/json')
    expect(document.issuer).toBe(issuer)
    const named = Object.entries(document).filter(([name]) => /_endpoint$|_uri$/.test(name))
    expect(named).toHaveLength(9)
    for (const [name, address] of named) {
      expect(String(address), name).toMatch(new RegExp(`^${issuer}/`))
      expect(server.paths, name).toContain(new URL(String(address)).pathname)
    }
  })

  test('discovery lists the supported features only', async () => {
    const browser = (await createProvider()).openBrowser()
    const document = await (await browser.get(paths[0] ?? '')).json()
    expect(document).toMatchObject({
      response_types_supported: ['code'],
      code_challenge_methods_supported: ['S256'],
      id_token_signing_alg_values_supported: ['ES256'],
      authorization_response_iss_parameter_supported: true,
      request_parameter_supported: false,
      subject_types_supported: ['public'],
    })
    expect(document.scopes_supported).toEqual([
      'openid',
      'profile',
      'email',
      'offline_access',
      'articles:read',
      'comments:create',
    ])
    expect(document.end_session_endpoint).toBeUndefined()
    expect((await browser.get('/end-session')).status).toBe(404)
  })

  test('the key set has public keys only', async () => {
    const browser = (await createProvider()).openBrowser()
    const { keys } = await (await browser.get('/jwks')).json()
    expect(keys).toHaveLength(1)
    expect(Object.keys(keys[0]).sort()).toEqual(['alg', 'crv', 'kid', 'kty', 'use', 'x', 'y'])
  })

  test('a resource of this server has metadata at its own path, and other paths are 404', async () => {
    const browser = (await createProvider()).openBrowser()
    const document = await (await browser.get('/.well-known/oauth-protected-resource/graphql')).json()
    expect(document).toMatchObject({ resource: `${issuer}/graphql`, authorization_servers: [issuer] })
    expect((await browser.get('/.well-known/oauth-protected-resource')).status).toBe(404)
  })

  test.each([...paths, '/jwks', '/.well-known/oauth-protected-resource/graphql'])(
    '%s is open to pages of every origin, without cookies',
    async (path) => {
      const { server, openBrowser } = await createProvider()
      const browser = openBrowser()
      const response = await browser.get(path, { origin: 'https://any.example' })
      expect(response.headers.get('access-control-allow-origin')).toBe('*')
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
      const headers = { origin: 'https://any.example', 'access-control-request-method': 'GET' }
      const preflight = await server.fetch(new Request(issuer + path, { method: 'OPTIONS', headers }))
      expect(preflight.status).toBe(204)
      expect((await browser.post(path, {})).status).toBe(405)
    },
  )

  test.each(['/token', '/revoke', '/userinfo'])('%s is open to pages of public web clients only', async (path) => {
    const { server, openBrowser } = await createProvider({ corsOrigins: ['https://other.example.com'] })
    const preflight = (origin: string) => {
      const headers = { origin, 'access-control-request-method': 'POST', 'access-control-request-headers': 'dpop' }
      return server.fetch(new Request(issuer + path, { method: 'OPTIONS', headers }))
    }
    for (const origin of ['https://spa.example.com', 'https://other.example.com']) {
      const allowed = await preflight(origin)
      expect([allowed.status, allowed.headers.get('access-control-allow-origin')]).toEqual([204, origin])
      const response = await openBrowser().post(path, { token: 'x' }, { origin })
      expect(response.headers.get('access-control-allow-origin')).toBe(origin)
      expect(response.headers.get('access-control-allow-credentials')).toBeNull()
      expect(response.headers.get('vary')).toBe('Origin')
    }
    // Of a confidential client, of a native one, and of a stranger.
    for (const origin of ['https://web.example.com', 'http://127.0.0.1', 'https://evil.example', 'null']) {
      expect((await preflight(origin)).status).toBe(403)
      const response = await openBrowser().post(path, { token: 'x' }, { origin })
      expect(response.headers.get('access-control-allow-origin')).toBeNull()
    }
  })

  test('clients that are registered later are listed within a minute, and disabled ones no longer', async () => {
    const documents = createMemoryDocumentStore()
    const registry = createClientRegistry({ documents })
    const provider = await createProvider({ documents })
    expect(await provider.server.listOrigins()).toEqual(['https://spa.example.com'])
    const redirectUris = ['https://new.example.com/callback', 'com.example.new:/callback']
    await registry.create({ id: 'new', name: 'New', authentication: ['none'], redirectUris, scopes: [] })
    provider.advance(60)
    expect(await provider.server.listOrigins()).toEqual(['https://spa.example.com', 'https://new.example.com'])
    await registry.disable('new')
    provider.advance(60)
    expect(await provider.server.listOrigins()).toEqual(['https://spa.example.com'])
  })

  test('a store that does not answer is 503, which pages of clients can read too', async () => {
    const { records } = await createProvider()
    const down = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down'))
    const { openBrowser } = await createProvider({ records: { ...records, get: down } })
    const form = { grant_type: 'authorization_code', client_id: 'spa', code: `ac_${'A'.repeat(22)}.${'A'.repeat(43)}` }
    const response = await openBrowser().post('/token', form, { origin: 'https://spa.example.com' })
    expect([response.status, response.headers.get('access-control-allow-origin')]).toEqual([
      503,
      'https://spa.example.com',
    ])
    expect(await response.json()).toMatchObject({ error: 'temporarily_unavailable' })
  })

  test('other endpoints are not open to other origins', async () => {
    const browser = (await createProvider()).openBrowser()
    const response = await browser.get('/authorize', { origin: 'https://any.example' })
    expect(response.headers.get('access-control-allow-origin')).toBeNull()
  })
})
