import { type AuthorizationServerOptions, createClientRegistry } from '@latchkey/oauth/server'
import { createMemoryDocumentStore, StoreError } from '@latchkey/store'
import { type DocumentHost, openDocumentHost, pocketCallback } from '@latchkey/test-services'
import { allowInsecureRequests, clientCredentialsGrant, discovery, None } from 'openid-client'
import { afterEach, describe, expect, test } from 'vitest'
import { listenAsProvider } from './support/listening-provider.ts'
import { authorizeTarget, type Browser, createProvider, decideAt, locationOf, pair, spa } from './support/provider.ts'
import { createSigner } from './tokens/signer.ts'

const issuer = 'http://127.0.0.1:4000'
const unreadable = 'The metadata document of the client could not be read.'
const invalid = 'The metadata document of the client is not valid.'
const hosts: DocumentHost[] = []

afterEach(async () => {
  await Promise.all(hosts.splice(0).map((host) => host.close()))
})

interface SetUp extends Partial<AuthorizationServerOptions> {
  readonly members?: Readonly<Record<string, unknown>>
  readonly headers?: Readonly<Record<string, string>>
}

const metadataClients = { from: 'any', scopes: ['openid', 'offline_access', 'articles:read'] } as const

async function setUp({ members, headers, ...options }: SetUp = {}) {
  const site = await openDocumentHost(members, headers)
  hosts.push(site)
  const documents = options.documents ?? createMemoryDocumentStore()
  const registry = createClientRegistry({ documents })
  const resources = [`${issuer}/graphql`] as const
  const provider = await createProvider({ issuer, resources, documents, metadataClients, ...options })
  const browser = provider.openBrowser()
  browser.signIn()
  const target = (changes: Readonly<Record<string, string | null>> = {}) =>
    authorizeTarget({
      client_id: site.clientId,
      redirect_uri: pocketCallback,
      scope: 'openid offline_access',
      ...changes,
    })
  const ask = (changes: Readonly<Record<string, string | null>> = {}) => browser.get(target(changes))
  const stored = async () => (await documents.list('metadata-clients')).items
  const redeem = (location: URL, uri = pocketCallback) =>
    post(browser, '/token', {
      grant_type: 'authorization_code',
      client_id: site.clientId,
      code: location.searchParams.get('code') ?? '',
      redirect_uri: uri,
      code_verifier: pair.verifier,
    })
  return { site, documents, registry, provider, browser, target, ask, stored, redeem }
}

async function post(browser: Browser, path: string, form: Readonly<Record<string, string>>) {
  const response = await browser.post(path, form)
  return { status: response.status, headers: response.headers, body: await response.json() }
}

async function expectPage(response: Response, status: number, sentence: string) {
  expect([response.status, response.headers.get('location')]).toEqual([status, null])
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(await response.text()).toContain(sentence)
}

describe('an unregistered client', () => {
  test('an unregistered client is fetched at the consent, stored if allowed, and refreshes without a fetch', async () => {
    const { site, provider, browser, ask, stored, redeem } = await setUp()
    const page = await ask()
    const handle = locationOf(page).searchParams.get('handle')
    expect(await provider.server.readRequest(browser.request('/consent'), handle)).toMatchObject({
      client: { id: site.clientId, name: 'Satchel' },
      clientHost: site.host,
      redirectTarget: 'pocket.example.com',
      isAnsweredHere: false,
    })
    expect(await stored()).toEqual([])
    const { status, body } = await redeem(await decideAt(provider, browser, page))
    expect([status, body.scope]).toEqual([200, 'openid offline_access'])
    expect((await stored()).map(({ value }) => JSON.parse(value).clientId)).toEqual([site.clientId])
    const again = { grant_type: 'refresh_token', client_id: site.clientId, refresh_token: body.refresh_token }
    expect((await post(browser, '/token', again)).status).toBe(200)
    expect(site.fetches()).toBe(1)
    expect(provider.events).toContainEqual(
      expect.objectContaining({
        ...{ type: 'client.metadata', outcome: 'fetched', clientId: site.clientId, host: site.host, reason: null },
      }),
    )
    expect(await provider.server.listGrants('acc_ada')).toMatchObject([
      { clientName: 'Satchel', clientHost: site.host },
    ])
  })

  test('a denied unregistered client is not stored', async () => {
    const { provider, browser, ask, stored } = await setUp()
    const denied = await decideAt(provider, browser, await ask(), 'deny')
    expect(denied.searchParams.get('error')).toBe('access_denied')
    expect(await stored()).toEqual([])
  })

  test('gets no refresh token if its document does not list the grant', async () => {
    const { provider, browser, ask, redeem } = await setUp({ members: { grant_types: ['authorization_code'] } })
    const { status, body } = await redeem(await decideAt(provider, browser, await ask()))
    expect([status, body.scope, body.refresh_token]).toEqual([200, 'openid', undefined])
  })

  test('needs no second consent until its name or the host of the redirect changes', async () => {
    const other = 'https://desk.example.com/callback'
    const { site, provider, browser, ask } = await setUp({
      members: { redirect_uris: [pocketCallback, other] },
    })
    await decideAt(provider, browser, await ask())
    expect(locationOf(await ask()).searchParams.get('code')).toMatch(/^ac_/)
    expect(locationOf(await ask({ redirect_uri: other })).pathname).toBe('/consent')
    site.change({ client_name: 'Satchel of others' })
    provider.advance(301)
    await decideAt(provider, browser, await ask())
    expect(provider.events).toContainEqual(expect.objectContaining({ type: 'client.metadata', outcome: 'changed' }))
    expect(locationOf(await ask()).searchParams.get('code')).toMatch(/^ac_/)
  })

  test.each([
    ['of another host', 'https://desk.example.com/callback'],
    ['on this computer', 'http://127.0.0.1:51004/callback'],
  ])('an unregistered client is asked again for scopes that were allowed to a redirect %s', async (_title, uri) => {
    const registered = uri.replace(':51004', '')
    const { provider, browser, ask } = await setUp({ members: { redirect_uris: [pocketCallback, registered] } })
    const wide = { scope: 'openid articles:read' }
    await decideAt(provider, browser, await ask({ ...wide, redirect_uri: uri }))
    await decideAt(provider, browser, await ask({ scope: 'openid' }))
    expect(locationOf(await ask({ scope: 'openid' })).searchParams.get('code')).toMatch(/^ac_/)
    const page = await ask(wide)
    expect(locationOf(page).pathname).toBe('/consent')
    await decideAt(provider, browser, page)
    expect(locationOf(await ask(wide)).searchParams.get('code')).toMatch(/^ac_/)
  })

  test.each([
    ...['http://127.0.0.1:51004/callback', 'http://[::1]:1/callback', 'http://localhost:9/callback'],
    ...['https://127.0.0.1/callback', 'https://localhost/callback', 'https://app.localhost/callback'],
  ])('an unregistered client is asked each time at %s, also if the application grants all', async (uri) => {
    const registered = uri.replace(/:\d+\/callback$/, '/callback')
    const { provider, browser, ask } = await setUp({
      consent: () => 'granted',
      members: { redirect_uris: [registered] },
    })
    for (let time = 0; time < 2; time++) {
      const page = await ask({ redirect_uri: uri })
      const handle = locationOf(page).searchParams.get('handle')
      expect(await provider.server.readRequest(browser.request('/consent'), handle)).toMatchObject({
        isAnsweredHere: true,
      })
      expect(`${await decideAt(provider, browser, page)}`).toMatch(`${uri}?code=ac_`)
    }
    const silent = locationOf(await ask({ redirect_uri: uri, prompt: 'none' }))
    expect(silent.searchParams.get('error')).toBe('consent_required')
  })

  test.each([
    ['the name of the service', 'THE  Publication'],
    ['the name of a registered client', 'ｒｅａｄｅｒ'],
    ['spaces elsewhere', 'R e a der'],
    ['a capital letter that few programs write', 'STRAẞE', 'Straße'],
    ['a letter with another form at the end of a word', 'ΟΔΟΣ Α', 'ΟΔΟΣΑ'],
    ['a letter whose capital is two characters', 'Ϊ́', 'ΐ'],
  ])(
    'is shown by its host if its name reads like another name: %s',
    async (_title, name, serviceName = 'The publication') => {
      const { site, provider, browser, ask } = await setUp({
        members: { client_name: name },
        serviceName,
        fixedClients: [spa],
      })
      const page = await ask()
      const handle = locationOf(page).searchParams.get('handle')
      const shown = await provider.server.readRequest(browser.request('/consent'), handle)
      expect(shown?.client.name).toBe(site.host)
      await decideAt(provider, browser, page)
      expect(await provider.server.listGrants('acc_ada')).toMatchObject([{ clientName: site.host }])
    },
  )

  test.each(['articles:read comments:create', 'openid email'])('is refused the scopes %s', async (scope) => {
    const { ask, stored } = await setUp()
    expect(locationOf(await ask({ scope })).searchParams.get('error')).toBe('invalid_scope')
    expect(await stored()).toEqual([])
  })

  test.each([
    ['a scope', { scope: 'openid email' }, 'invalid_scope'],
    ['a response type', { response_type: 'token' }, 'unsupported_response_type'],
    ['a challenge', { code_challenge: null }, 'invalid_request'],
    ['a silent sign-in', { prompt: 'none' }, 'login_required'],
  ])('an unregistered client redirects no signed-out user because of %s', async (_title, changes, error) => {
    const { provider, browser, target, ask } = await setUp()
    const stranger = await provider.openBrowser().get(target(changes))
    expect([stranger.status, stranger.headers.get('location')]).toEqual([400, null])
    if (error === 'login_required') return
    browser.signIn()
    expect(locationOf(await ask(changes)).searchParams.get('error')).toBe(error)
  })

  test('is refused a scope that its own document leaves out', async () => {
    const { ask } = await setUp({ members: { scope: 'openid' } })
    expect(locationOf(await ask({ scope: 'openid articles:read' })).searchParams.get('error')).toBe('invalid_scope')
    expect(locationOf(await ask({ scope: 'openid' })).pathname).toBe('/consent')
  })

  test('is refused every other grant without a fetch', async () => {
    const { site, browser } = await setUp()
    const client = { client_id: site.clientId }
    for (const grant_type of ['client_credentials', 'urn:ietf:params:oauth:grant-type:device_code']) {
      const { status, body } = await post(browser, '/token', { ...client, grant_type })
      expect([status, body.error]).toEqual([400, 'unauthorized_client'])
    }
    const device = await post(browser, '/device_authorization', { ...client, scope: 'openid' })
    expect([device.status, device.body.error, site.fetches()]).toEqual([400, 'unauthorized_client', 0])
  })

  test('is unknown to /token before the first consent', async () => {
    const { site, browser } = await setUp()
    const form = { grant_type: 'authorization_code', client_id: site.clientId, code: 'ac_x' }
    const { status, body } = await post(browser, '/token', form)
    expect([status, body.error, site.fetches()]).toEqual([401, 'invalid_client', 0])
  })

  test('without the option an unregistered client is unknown and not fetched', async () => {
    const site = await openDocumentHost()
    hosts.push(site)
    const browser = (await createProvider({ issuer, resources: [`${issuer}/graphql`] })).openBrowser()
    browser.signIn()
    const target = authorizeTarget({ client_id: site.clientId, redirect_uri: pocketCallback })
    await expectPage(await browser.get(target), 400, 'identify a registered client')
    const metadata = await (await browser.get('/.well-known/openid-configuration')).json()
    expect([site.fetches(), metadata.client_id_metadata_document_supported]).toEqual([0, undefined])
  })

  test('support of unregistered clients is announced in both documents of the server', async () => {
    const { browser } = await setUp()
    for (const name of ['openid-configuration', 'oauth-authorization-server']) {
      const metadata = await (await browser.get(`/.well-known/${name}`)).json()
      expect(metadata.client_id_metadata_document_supported).toBe(true)
    }
  })
})

describe('a document that cannot be used', () => {
  test.each([
    ['a status', { status: 404 }],
    ['a redirect', { status: 302 }],
    ['a type', { type: 'text/html' }],
    ['too many bytes', { body: `{"client_name":"${'n'.repeat(6000)}"}` }],
  ])('because of %s shows the same sentence on the page and at /par', async (_title, answer) => {
    const { site, provider, browser, ask, target } = await setUp()
    site.answer(answer)
    await expectPage(await ask(), 400, unreadable)
    provider.advance(2)
    const form = Object.fromEntries(new URLSearchParams(target().split('?')[1]))
    const { status, body } = await post(browser, '/par', form)
    expect([status, body.error, body.error_description]).toEqual([401, 'invalid_client', unreadable])
    expect(provider.events).toContainEqual(expect.objectContaining({ type: 'client.metadata', outcome: 'failed' }))
  })

  test('because it breaks a rule shows another sentence', async () => {
    const { provider, ask } = await setUp({ members: { client_secret: 'hidden' } })
    const page = await ask()
    expect([page.status, page.headers.get('location')]).toEqual([400, null])
    const html = await page.text()
    expect(html).toContain(invalid)
    expect(html).not.toContain('hidden')
    expect(provider.events).toContainEqual(expect.objectContaining({ type: 'client.metadata', outcome: 'refused' }))
  })

  test.each([
    'http://evil.example/client.json',
    'https://evil.example/',
    'https://user:secret@evil.example/client.json',
    'https://evil.example/client.json?token=secret',
    'https://evil.example/client.json#a',
    'https://evil.example/a/../client.json',
    'https://EVIL.example/client.json',
    'https://10.0.0.1/client.json',
    'http://127.0.0.1:80/client.json',
    `https://evil.example/${'a'.repeat(512)}`,
  ])('because of the id %s shows the sentence of network failures', async (id) => {
    const { provider, ask, stored } = await setUp()
    await expectPage(await ask({ client_id: id }), 400, unreadable)
    expect(JSON.stringify(provider.events)).not.toContain('secret')
    expect(await stored()).toEqual([])
  })

  test('because of a limit of fetches is 429 with Retry-After', async () => {
    const { site, browser, ask, target } = await setUp({ headers: { 'cache-control': 'no-store' } })
    await ask()
    const page = await ask()
    expect([page.status, page.headers.get('retry-after'), page.headers.get('location')]).toEqual([429, '1', null])
    const form = Object.fromEntries(new URLSearchParams(target().split('?')[1]))
    const pushed = await post(browser, '/par', form)
    expect([pushed.status, pushed.headers.get('retry-after'), pushed.body.error]).toEqual([
      ...[429, '1', 'temporarily_unavailable'],
    ])
    expect(site.fetches()).toBe(1)
  })
})

describe('a pushed request of an unregistered client', () => {
  test('a pushed request of an unregistered client keeps the document: its browser causes no fetch', async () => {
    const { site, provider, browser, target } = await setUp({ headers: { 'cache-control': 'no-store' } })
    const form = Object.fromEntries(new URLSearchParams(target().split('?')[1]))
    const forged = JSON.stringify({ v: 2, clientId: site.clientId, clientName: 'Forged' })
    const { status, body } = await post(browser, '/par', { ...form, client_document: forged })
    expect(status).toBe(201)
    const asked = new URLSearchParams({ client_id: site.clientId, request_uri: body.request_uri })
    const page = await browser.get(`/authorize?${asked}`)
    const handle = locationOf(page).searchParams.get('handle')
    const shown = await provider.server.readRequest(browser.request('/consent'), handle)
    expect([shown?.client.name, site.fetches()]).toEqual(['Satchel', 1])
    await expectPage(await browser.get(`/authorize?${asked}`), 400, 'already used')
  })
})

describe('a block', () => {
  test.each(['host', 'id'] as const)(
    'a block of a %s refuses tokens, refreshes and requests from the next request on',
    async (kind) => {
      const { site, registry, provider, browser, ask, redeem } = await setUp()
      const waiting = locationOf(await ask({ state: 'waits' })).searchParams.get('handle')
      const { body } = await redeem(await decideAt(provider, browser, await ask()))
      const open = () => browser.get('/userinfo', { authorization: `Bearer ${body.access_token}` })
      expect((await open()).status).toBe(200)
      const blocked = kind === 'host' ? '127.0.0.1' : site.clientId
      expect([await registry.block(blocked), await registry.block(blocked)]).toEqual([true, false])
      expect((await open()).status).toBe(401)
      const refresh = { grant_type: 'refresh_token', client_id: site.clientId, refresh_token: body.refresh_token }
      expect((await post(browser, '/token', refresh)).body.error).toBe('invalid_client')
      await expectPage(await ask(), 400, unreadable)
      expect(await provider.server.readRequest(browser.request('/consent'), waiting)).toBeNull()
      expect([await registry.unblock(blocked), await registry.unblock(blocked)]).toEqual([true, false])
      expect((await open()).status).toBe(200)
      expect(site.fetches()).toBe(1)
    },
  )

  test.each([
    ...['', 'evil.example:443', 'evil.example/path', 'EVIL.example', 'https://evil.example/a?b c'],
    // Nothing would be blocked by them: patterns, a final dot, the id of a registered client, ids that are none.
    ...['*.evil.example', '*', 'evil.example.', 'demo-spa', 'https://evil.example./a', 'https://evil.example/a?b'],
    ...['https://evil.example/', 'https://evil.example/a#b', 'https://user@evil.example/a'],
  ])('a block of "%s" is refused and not stored', async (blocked) => {
    const { registry, documents } = await setUp()
    await expect(registry.block(blocked)).rejects.toMatchObject({ code: 'OAUTH_CLIENT_INVALID' })
    expect((await documents.list('metadata-client-blocks')).items).toEqual([])
  })

  test('a block by the option except applies to stored clients', async () => {
    const { site, provider, browser, ask, redeem, documents } = await setUp()
    const { body } = await redeem(await decideAt(provider, browser, await ask()))
    const { records } = provider
    const narrowed = await createProvider({
      ...{ issuer, documents, records, resources: [`${issuer}/graphql`] },
      metadataClients: { ...metadataClients, except: ['127.0.0.1'] },
    })
    const refresh = { grant_type: 'refresh_token', client_id: site.clientId, refresh_token: body.refresh_token }
    expect((await post(narrowed.openBrowser(), '/token', refresh)).body.error).toBe('invalid_client')
  })
})

describe('a client with keys', () => {
  test('is fetched once more for an unknown key id, and not for a wrong signature or without a key id', async () => {
    const [first, other, second] = await Promise.all(['ES256', 'ES256', 'ES256'].map(createSigner))
    if (!first || !other || !second) throw new Error('no keys')
    const jwksOf = (...keys: object[]) => ({ jwks: { keys: keys.map((key, index) => ({ ...key, kid: `k${index}` })) } })
    const { site, provider, browser, ask } = await setUp({
      members: { token_endpoint_auth_method: 'private_key_jwt', ...jwksOf(first.publicJwk, other.publicJwk) },
    })
    const location = await decideAt(provider, browser, await ask())
    provider.advance(2)
    site.change(jwksOf(first.publicJwk, other.publicJwk, second.publicJwk))
    const form = (assertion: string) => ({
      grant_type: 'authorization_code',
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: assertion,
      code: location.searchParams.get('code') ?? '',
      redirect_uri: pocketCallback,
      code_verifier: pair.verifier,
    })
    const claims = { iss: site.clientId, sub: site.clientId, aud: issuer, exp: Math.floor(provider.now() / 1000) + 60 }
    const sign = (signer: typeof first, kid: string, jti: string) => signer.sign({ kid }, { ...claims, jti })
    const foreign = await post(browser, '/token', form(await sign(await createSigner('ES256'), 'k0', 'a')))
    expect([foreign.body.error, site.fetches()]).toEqual(['invalid_client', 1])
    const unnamed = await post(browser, '/token', form(await first.sign({}, { ...claims, jti: 'b' })))
    expect([unnamed.body.error, site.fetches()]).toEqual(['invalid_client', 1])
    expect((await post(browser, '/token', form(await sign(second, 'k2', 'c')))).status).toBe(200)
    expect(site.fetches()).toBe(2)
  })
})

describe('many requests at once by keys that a client does not have', () => {
  test('many requests with unknown keys at once fetch once, store no record and are refused as invalid_client', async () => {
    const [own, foreign] = await Promise.all([createSigner('ES256'), createSigner('ES256')])
    const { site, provider, browser, ask, stored } = await setUp({
      members: { token_endpoint_auth_method: 'private_key_jwt', jwks: { keys: [{ ...own.publicJwk, kid: 'own' }] } },
    })
    await decideAt(provider, browser, await ask())
    provider.advance(2)
    const before = await stored()
    const exp = Math.floor(provider.now() / 1000) + 60
    const refused = Array.from({ length: 40 }, async (_one, index) => {
      const claims = { iss: site.clientId, sub: site.clientId, aud: issuer, exp, jti: `${index}` }
      const { status, body } = await post(browser, '/token', {
        grant_type: 'refresh_token',
        refresh_token: 'rt_x',
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: await foreign.sign({ kid: `k${index}` }, claims),
      })
      return [status, body.error]
    })
    expect(new Set((await Promise.all(refused)).map((one) => JSON.stringify(one)))).toEqual(
      new Set(['[401,"invalid_client"]']),
    )
    expect([site.fetches(), await stored()]).toEqual([2, before])
  })
})

test('openid-client finds the server as an unregistered client, and is refused client_credentials', async () => {
  const site = await openDocumentHost()
  hosts.push(site)
  const provider = await listenAsProvider(() => ({ metadataClients }))
  const config = await discovery(provider.issuer, site.clientId, undefined, None(), {
    execute: [allowInsecureRequests],
  })
  expect(config.serverMetadata().client_id_metadata_document_supported).toBe(true)
  await expect(clientCredentialsGrant(config)).rejects.toMatchObject({ error: 'unauthorized_client' })
  await provider.close()
})

test('a failing store of blocks answers 503 to every request, without a fetch', async () => {
  let fails = false
  const memory = createMemoryDocumentStore()
  const get: typeof memory.get = async (name, id) => {
    if (fails && name === 'metadata-client-blocks') throw new StoreError('STORE_UNAVAILABLE', 'it does not answer')
    return memory.get(name, id)
  }
  const { site, provider, browser, ask, target, redeem, stored } = await setUp({ documents: { ...memory, get } })
  const { body } = await redeem(await decideAt(provider, browser, await ask()))
  const [page, before] = [await ask({ prompt: 'consent' }), await stored()]
  fails = true
  provider.advance(301)
  const pushed = Object.fromEntries(new URLSearchParams(target().split('?')[1]))
  const refresh = { grant_type: 'refresh_token', client_id: site.clientId, refresh_token: body.refresh_token }
  const answers = [
    await ask(),
    await browser.post('/par', pushed),
    await browser.post('/token', refresh),
    await browser.get('/userinfo', { authorization: `Bearer ${body.access_token}` }),
  ]
  expect(answers.map(({ status }) => status)).toEqual([503, 503, 503, 503])
  await expect(decideAt(provider, browser, page)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect([site.fetches(), await stored()]).toEqual([1, before])
  fails = false
  expect((await post(browser, '/token', refresh)).status).toBe(200)
  expect((await decideAt(provider, browser, page)).searchParams.get('code')).toMatch(/^ac_/)
})
