import { isOAuthError } from '@latchkey/oauth'
import {
  type ClientInput,
  createAuthorizationServer,
  createClientRegistry,
  type FixedClient,
} from '@latchkey/oauth/server'
import { createMemoryDocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { answerOf, authorizeTarget, createProvider, locationOf } from './support/provider.ts'

const input: ClientInput = {
  name: 'Reports',
  authentication: ['client_secret_basic'],
  redirectUris: ['https://reports.example.com/callback'],
  scopes: ['openid', 'articles:read'],
}

const setUp = () => {
  const documents = createMemoryDocumentStore()
  const stored = async () => (await documents.list('oauth-client')).items
  return { stored, registry: createClientRegistry({ documents, scopes: ['openid', 'articles:read'], now: () => 1000 }) }
}

describe('a client is registered', () => {
  test('a client is registered with a new id and a new secret, stored as a digest', async () => {
    const { stored, registry } = setUp()
    const { client, secret } = await registry.create(input)
    expect(client).toMatchObject({
      id: expect.stringMatching(/^client_[\w-]{22}$/),
      grantTypes: ['authorization_code', 'refresh_token'],
      createdAt: 1000,
    })
    expect(secret).toMatch(/^cs_[\w-]{43}$/)
    expect(JSON.stringify(await stored())).not.toContain(secret)
    expect((await registry.list()).items).toEqual([client])
  })

  test('a given id is registered once', async () => {
    const { stored, registry } = setUp()
    await registry.create({ ...input, id: 'reports' })
    const before = await stored()
    const again = await registry.create({ ...input, id: 'reports', name: 'Evil' }).catch((error: unknown) => error)
    expect(isOAuthError(again) && again.code).toBe('OAUTH_CLIENT_IN_USE')
    expect(await stored()).toEqual(before)
  })

  test('a public client, or a client with a key, is registered without a secret', async () => {
    const { registry } = setUp()
    expect((await registry.create({ ...input, authentication: ['none'] })).secret).toBeNull()
    const jwks = { keys: [{ kty: 'EC', crv: 'P-256', x: 'x', y: 'y' }] }
    expect((await registry.create({ ...input, authentication: ['private_key_jwt'], jwks })).secret).toBeNull()
  })

  test.each([
    'https://app.example.com/callback',
    'https://app.example.com:8443/callback?tenant=1',
    'https://app.example.com',
    'http://127.0.0.1:4001/callback',
    'http://[::1]/callback',
    'http://localhost:4001/callback',
    'com.example.app:/callback',
  ])('a client is registered with the redirect %s', async (uri) => {
    const { registry } = setUp()
    await expect(registry.create({ ...input, redirectUris: [uri] })).resolves.toMatchObject({
      client: { redirectUris: [uri] },
    })
  })

  test.each([
    ['only a path', '/callback'],
    ['no scheme', 'app.example.com/callback'],
    ['only two slashes', '//app.example.com/callback'],
    ['a fragment', 'https://app.example.com/#'],
    ['user info', 'https://user@app.example.com/'],
    ['a password', 'https://user:password@app.example.com/'],
    ['empty user info', 'https://@app.example.com/'],
    ['user info of an application', 'com.example.app://user@host/'],
    ['a wildcard', 'https://*.example.com/callback'],
    ['a wildcard in the path', 'https://app.example.com/*'],
    ['a path upwards', 'https://app.example.com/a/../callback'],
    ['a path upwards with a semicolon', 'https://app.example.com/a/..;/callback'],
    ['an encoded path upwards', 'https://app.example.com/a/%2e%2e/callback'],
    ['an encoded slash', 'https://app.example.com/a%2Fcallback'],
    ['a backslash', 'https://app.example.com\\callback'],
    ['a host that ends a directive', 'https://app;evil.example.com/callback'],
    ['a host with a quote', "https://app'evil.example.com/callback"],
    ['a host with a comma', 'https://app,evil.example.com/callback'],
    ['no TLS', 'http://app.example.com/callback'],
    ['no TLS on what looks like this machine', 'http://127.0.0.1.evil.example/callback'],
    ['no TLS on another spelling of this machine', 'http://127.1/callback'],
    ['a scheme without a dot', 'myapp:/callback'],
    ['a script', 'javascript:alert(1)'],
    ['inline data', 'data:text/html,hello'],
    ['a file', 'file:///etc/passwd'],
    ['upper case', 'https://APP.example.com/callback'],
    ['an upper-case scheme', 'HTTPS://app.example.com/callback'],
    ['a default port', 'https://app.example.com:443/callback'],
    ['white space', 'https://app.example.com/call back'],
    ['a line break', 'https://app.example.com/\n'],
    ['another alphabet', 'https://äpp.example.com/callback'],
    ['too many characters', `https://app.example.com/${'a'.repeat(2048)}`],
    ['no host', 'https://'],
    ['no characters', ''],
  ])('a client is refused for a redirect with %s, and is not stored', async (_title, uri) => {
    const { stored, registry } = setUp()
    for (const name of ['redirectUris', 'postLogoutRedirectUris'] as const) {
      const refused = await registry.create({ ...input, [name]: [uri] }).catch((error: unknown) => error)
      expect(isOAuthError(refused) && refused.code).toBe('OAUTH_CLIENT_INVALID')
      expect(String(refused)).not.toContain('evil')
    }
    expect(await stored()).toEqual([])
  })

  test.each([
    ['http elsewhere than on loopback', 'http://app.example.com/logout'],
    ['a scheme of an application', 'com.example.app:/logout'],
    ['a fragment', 'https://app.example.com/logout#x'],
    ['user info', 'https://user@app.example.com/logout'],
    ['only a path', '/logout'],
  ])('a client is refused for a logout address with %s, and is not stored', async (_title, backchannelLogoutUri) => {
    const { stored, registry } = setUp()
    const refused = await registry.create({ ...input, backchannelLogoutUri }).catch((error: unknown) => error)
    expect(isOAuthError(refused) && refused.code).toBe('OAUTH_CLIENT_INVALID')
    expect(await stored()).toEqual([])
  })

  test.each(['none', 'HS256', 'RS512', 'rs256', '', 7])(
    'a client is refused for id tokens with the algorithm %j, and is not stored',
    async (algorithm) => {
      const { stored, registry } = setUp()
      const changed = { ...input, idTokenSignedResponseAlg: algorithm as 'RS256' }
      const refused = await registry.create(changed).catch((error: unknown) => error)
      expect(isOAuthError(refused) && refused.code).toBe('OAUTH_CLIENT_INVALID')
      expect(await stored()).toEqual([])
      const written = { ...changed, id: 'web', secret: 'secret-of-the-client' }
      await expect(createProvider({ fixedClients: [written] })).rejects.toThrow('the algorithm of id tokens must be')
    },
  )

  test("a client is registered for id tokens of RS256, or of the server's algorithm", async () => {
    const { registry } = setUp()
    await registry.create({ ...input, id: 'a', idTokenSignedResponseAlg: 'RS256' })
    await registry.create({ ...input, id: 'b' })
    const { items } = await registry.list()
    expect(items.map((client) => client.idTokenSignedResponseAlg)).toEqual(['RS256', null])
  })

  test('a client with codes is registered with a logout address, and a client without codes is refused', async () => {
    const { stored, registry } = setUp()
    const backchannelLogoutUri = 'https://app.example.com/logout'
    expect((await registry.create({ ...input, backchannelLogoutUri })).client).toMatchObject({ backchannelLogoutUri })
    expect((await registry.list()).items).toMatchObject([{ backchannelLogoutUri }])
    const machine = { ...input, redirectUris: [], backchannelLogoutUri }
    await expect(registry.create(machine)).rejects.toMatchObject({ code: 'OAUTH_CLIENT_INVALID' })
    expect(await stored()).toHaveLength(1)
  })

  const rsa = { kty: 'RSA', n: 'x', e: 'AQAB' }
  const faults: readonly [title: string, changes: object][] = [
    ['the id of the service itself', { id: 'first-party' }],
    ['the id of an account', { id: 'acc_1' }],
    ['an empty id', { id: '' }],
    ['an id with a colon, which HTTP Basic splits', { id: 'a:b' }],
    ['a long id', { id: 'a'.repeat(65) }],
    ['no name', { name: '' }],
    ['a name that turns its text around', { name: 'a\u202eb' }],
    ['a name with a line break', { name: 'a\nb' }],
    ['a long name', { name: 'a'.repeat(101) }],
    ['an unknown kind', { kind: 'desktop' }],
    ['no authentication', { authentication: [] }],
    ['an unknown authentication', { authentication: ['client_secret_jwt'] }],
    ['none beside a secret', { authentication: ['none', 'client_secret_basic'] }],
    ['a key beside a secret', { authentication: ['private_key_jwt', 'client_secret_basic'] }],
    ['a key that is missing', { authentication: ['private_key_jwt'] }],
    ['keys that are not used', { jwks: { keys: [{ kty: 'EC' }] } }],
    ['a private key', { authentication: ['private_key_jwt'], jwks: { keys: [{ kty: 'EC', d: 'x' }] } }],
    ['a symmetric key', { authentication: ['private_key_jwt'], jwks: { keys: [{ kty: 'oct', k: 'x' }] } }],
    ['a prime of a private key', { authentication: ['private_key_jwt'], jwks: { keys: [{ ...rsa, p: 'x' }] } }],
    ['a key that is no object', { authentication: ['private_key_jwt'], jwks: { keys: [null] } }],
    ['a key of an unknown type', { authentication: ['private_key_jwt'], jwks: { keys: [{ kty: 'constructor' }] } }],
    ['a key beside a text', { authentication: ['private_key_jwt'], jwks: { keys: [rsa, 'x'] } }],
    ['the implicit grant', { grantTypes: ['implicit'] }],
    ['the password grant', { grantTypes: ['password'] }],
    ['codes without a redirect', { redirectUris: [], grantTypes: ['authorization_code'] }],
    ['a redirect without codes', { grantTypes: ['client_credentials'] }],
    ['credentials of no account', { authentication: ['none'], redirectUris: [], grantTypes: ['client_credentials'] }],
    ['a scope that this service does not have', { scopes: ['audit:read'] }],
    ['a scope with a space', { scopes: ['openid articles:read'] }],
    ['many redirects', { redirectUris: Array.from({ length: 21 }, (_none, index) => `https://a.example/${index}`) }],
  ]

  test.each(faults)('a client is refused with %s, and is not stored', async (_title, changes) => {
    const { stored, registry } = setUp()
    const refused = await registry.create({ ...input, ...changes }).catch((error: unknown) => error)
    expect(isOAuthError(refused) && refused.code).toBe('OAUTH_CLIENT_INVALID')
    expect(await stored()).toEqual([])
  })

  test.each(faults.slice(0, -3))('a client in code is refused with %s', async (_title, changes) => {
    const client = { id: 'reports', secret: 'secret', ...input, ...changes } as FixedClient
    await expect(createProvider({ fixedClients: [client] })).rejects.toThrow(/^"fixedClients": /)
  })

  test('clients in code are refused with a repeated id, an unused secret or a missing secret', async () => {
    const client: FixedClient = { id: 'reports', secret: 'secret', ...input }
    await expect(createProvider({ fixedClients: [client, client] })).rejects.toThrow('an id stands twice')
    const open: FixedClient = { ...client, authentication: ['none'] }
    await expect(createProvider({ fixedClients: [open] })).rejects.toThrow('a secret is not used')
    const { secret: _secret, ...bare } = client
    await expect(createProvider({ fixedClients: [bare] })).rejects.toThrow('a secret is missing')
  })
})

describe('a registered client', () => {
  const redirect = 'https://reports.example.com/callback'
  const asked = authorizeTarget({ client_id: 'reports', redirect_uri: redirect, scope: 'openid' })

  async function running() {
    const documents = createMemoryDocumentStore()
    const registry = createClientRegistry({ documents })
    const issued = await registry.create({ ...input, id: 'reports' })
    const provider = await createProvider({ documents, consent: () => 'granted' })
    const browser = provider.openBrowser()
    browser.signIn()
    const basic = async (secret: string | null) => {
      const authorization = `Basic ${btoa(`reports:${secret}`)}`
      return (await browser.post('/revoke', { token: 'x' }, { authorization })).status
    }
    return { documents, registry, provider, browser, basic, secret: issued.secret }
  }

  test('is served at once, and is unknown after it is disabled', async () => {
    const { registry, browser, basic, secret } = await running()
    expect(answerOf(await browser.get(asked), redirect).code).toMatch(/^ac_/)
    expect(await basic(secret)).toBe(200)
    expect(await registry.disable('reports')).toBe(true)
    expect((await browser.get(asked)).status).toBe(400)
    expect(await basic(secret)).toBe(401)
    expect((await registry.list()).items).toMatchObject([{ id: 'reports', isDisabled: true }])
    expect(await registry.disable('nobody')).toBe(false)
  })

  test('a client whose id tokens cannot be signed gets no id token, at pages and on devices, and gets other tokens', async () => {
    const client: FixedClient = {
      ...input,
      id: 'rsa',
      authentication: ['none'],
      grantTypes: ['authorization_code', 'urn:ietf:params:oauth:grant-type:device_code'],
      idTokenSignedResponseAlg: 'RS256',
    }
    const { openBrowser } = await createProvider({ fixedClients: [client], consent: () => 'granted' })
    const browser = openBrowser()
    browser.signIn()
    const [redirectUri = ''] = input.redirectUris ?? []
    const ask = async (scope: string) => {
      const target = authorizeTarget({ client_id: 'rsa', redirect_uri: redirectUri, scope })
      const device = await browser.post('/device_authorization', { client_id: 'rsa', scope })
      return [answerOf(await browser.get(target), redirectUri).error, (await device.json()).error]
    }
    expect(await ask('openid articles:read')).toEqual(['invalid_scope', 'invalid_scope'])
    expect(await ask('articles:read')).toEqual([undefined, undefined])
  })

  test('a registered scope that the service does not have is refused', async () => {
    const { registry, browser } = await running()
    await registry.create({ ...input, id: 'old', redirectUris: [redirect], scopes: ['openid', 'audit:read'] })
    const target = authorizeTarget({ client_id: 'old', redirect_uri: redirect, scope: 'openid audit:read' })
    expect(answerOf(await browser.get(target), redirect)).toMatchObject({ error: 'invalid_scope' })
  })

  test('a redirect that is removed during the consent gets no answer', async () => {
    const { documents, provider, browser } = await running()
    const page = await browser.get(`${asked}&prompt=consent`)
    const handle = locationOf(page).searchParams.get('handle') ?? ''
    const { value = '', version = '' } = (await documents.get('oauth-client', 'reports')) ?? {}
    const moved = value.replace('https://reports.example.com', 'https://new.example.com')
    expect(
      await documents.replace(
        { collection: 'oauth-client', id: 'reports', version },
        { version: 'moved', value: moved },
      ),
    ).toBe(true)
    expect((await browser.get(`/authorize?handle=${handle}`)).status).toBe(400)
    expect(await provider.server.readRequest(browser.request('/consent'), handle)).toBeNull()
  })

  test('a client that is disabled during the consent gets no token', async () => {
    const { registry, provider, browser } = await running()
    const page = await browser.get(`${asked}&prompt=consent`)
    const handle = locationOf(page).searchParams.get('handle') ?? ''
    const shown = await provider.server.readRequest(browser.request('/consent'), handle)
    await registry.disable('reports')
    const decision = { handle, token: shown?.token ?? null, decision: 'allow' } as const
    expect(await provider.server.decide(browser.request('/consent'), decision)).toEqual({
      ok: false,
      reason: 'unknown',
    })
    expect((await browser.get(`/authorize?handle=${handle}`)).status).toBe(400)
  })

  test('a new secret of a client replaces the earlier secret', async () => {
    const { registry, basic, secret } = await running()
    const rotated = await registry.rotateSecret('reports')
    expect(await basic(secret)).toBe(401)
    expect(await basic(rotated?.secret ?? null)).toBe(200)
    expect(await registry.rotateSecret('nobody')).toBeNull()
  })

  test('a client without a secret gets no new secret', async () => {
    const { registry } = setUp()
    await registry.create({ ...input, id: 'open', authentication: ['none'] })
    expect(await registry.rotateSecret('open')).toBeNull()
  })
})

test('a missing, misspelt or invalid option is an error with its name', async () => {
  expect(() => createClientRegistry({ documents: {} as never })).toThrow('"documents" must be a document store')
  expect(() => createClientRegistry({ document: {} } as never)).toThrow('Did you mean "documents"?')
  expect(() => createAuthorizationServer({ isuer: '' } as never)).toThrow('Did you mean "issuer"?')
  const wrong: readonly [option: string, value: unknown][] = [
    ['issuer', 'https://id.example.com/'],
    ['issuer', 'https://id.example.com/path'],
    ['issuer', 'http://id.example.com'],
    ['issuer', 'ftp://id.example.com'],
    ['issuer', 'id.example.com'],
    ['secrets', []],
    ['records', {}],
    ['documents', {}],
    ['aroundGrantChange', {}],
    ['keys', {}],
    ['refreshTokens', {}],
    ['claims', undefined],
    ['signedIn', undefined],
    ['accountState', undefined],
    ['resources', []],
    ['resources', ['/graphql']],
    ['resources', ['https://id.example.com/graphql#x']],
    ['scopes', ['a b']],
    ['fixedClients', {}],
    ['corsOrigins', 'https://app.example.com'],
    ['corsOrigins', ['https://app.example.com/']],
    ['corsOrigins', ['*']],
    ['pages', {}],
    ['pages', { signIn: 'https://evil.example/', consent: '/consent' }],
    ['pages', { signIn: '/sign-in?a', consent: '/consent' }],
    ['pages', { signIn: '/sign-in', consent: '//evil.example' }],
    ['sessionSameSite', 'None'],
    ['accessTokenSeconds', 901],
    ['accessTokenSeconds', 299],
    ['requestSeconds', 59],
  ]
  for (const [option, value] of wrong) {
    await expect(createProvider({ [option]: value }), `${option}: ${value}`).rejects.toThrow(new RegExp(`"${option}`))
  }
})
