import { createAuthorizationServer, createClientRegistry, type FixedClient } from '@latchkey/oauth/server'
import { createMemoryDocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { answerOf, authorizeTarget, callback, createProvider, decideAt, locationOf, spa } from './support/provider.ts'
import { clients, issuer, openServer, resource } from './tokens/open-server.ts'
import { createSigner, proofOf } from './tokens/signer.ts'

const app: FixedClient = { ...spa, id: 'app', firstParty: true }
const key = await createSigner('ES256')

const loopback = 'http://127.0.0.1:4003/callback'
const local = 'http://localhost:4000'
const scheme = 'com.example.app:/callback'

describe('the consent of a client of the service itself', () => {
  type Case = [string, 'given' | 'asked', Partial<FixedClient>, string, string]
  test.each<Case>([
    ['https', 'given', {}, 'https://id.example.com', callback],
    ['https of an application', 'given', { kind: 'native' }, 'https://id.example.com', callback],
    ['https while the issuer is on loopback', 'given', {}, local, callback],
    ['http on loopback while the issuer is there', 'given', {}, local, loopback],
    ['http on loopback of a service elsewhere', 'asked', {}, 'https://id.example.com', loopback],
    ['http on loopback of an application', 'asked', { kind: 'native' }, local, loopback],
    ['a scheme of an application', 'asked', { kind: 'native' }, 'https://id.example.com', scheme],
    ['a scheme of a client of the kind web', 'asked', {}, local, scheme],
  ])('for %s is %s, each time', async (_what, expected, change, at, redirect) => {
    const client = { ...app, redirectUris: [callback, loopback, scheme], ...change }
    const provider = await createProvider({ issuer: at, resources: [`${at}/graphql`], fixedClients: [client] })
    const browser = provider.openBrowser()
    browser.signIn()
    const target = (more = {}) => authorizeTarget({ client_id: 'app', redirect_uri: redirect, ...more })
    // What was given at a redirect without a question answers none at another.
    await browser.get(authorizeTarget({ client_id: 'app' }))
    for (const _time of [1, 2]) {
      const response = await browser.get(target())
      const silent = answerOf(await browser.get(target({ prompt: 'none' })), redirect)
      if (expected === 'given') {
        expect([answerOf(response, redirect).code, silent.code]).toEqual([expect.any(String), expect.any(String)])
      } else {
        expect([locationOf(response).pathname, silent.error]).toEqual(['/consent', 'consent_required'])
        await decideAt(provider, browser, response)
      }
    }
  })

  test('a first-party consent is asked with prompt=consent, and is otherwise given without a question and listed once', async () => {
    const provider = await createProvider({ fixedClients: [app] })
    const browser = provider.openBrowser()
    browser.signIn()
    for (const _time of [1, 2]) answerOf(await browser.get(authorizeTarget({ client_id: 'app' })))
    expect(await provider.server.listGrants('acc_ada')).toMatchObject([{ clientId: 'app' }])
    expect(provider.events.filter(({ type }) => type === 'grant.given')).toHaveLength(1)
    const asked = await browser.get(authorizeTarget({ client_id: 'app', prompt: 'consent' }))
    expect(locationOf(asked).pathname).toBe('/consent')
  })

  test('a first-party consent needs a session', async () => {
    const provider = await createProvider({ fixedClients: [app] })
    const response = await provider.openBrowser().get(authorizeTarget({ client_id: 'app' }))
    expect(locationOf(response).pathname).toBe('/sign-in')
    expect(await provider.server.listGrants('acc_ada')).toEqual([])
  })

  test('a third-party client with the same redirect is asked for a consent', async () => {
    const provider = await createProvider({ fixedClients: [{ ...app, firstParty: false }] })
    const browser = provider.openBrowser()
    browser.signIn()
    expect(locationOf(await browser.get(authorizeTarget({ client_id: 'app' }))).pathname).toBe('/consent')
  })
})

describe('tokens of a client of the service itself', () => {
  const own = clients.map((client) => (client.id === 'spa' ? { ...client, firstParty: true } : client))
  const open = () => openServer({ options: { fixedClients: own } })

  test('tokens of a first-party client need a proof, for a code, which stays unused, and for a refresh', async () => {
    const { giveCode, post, refresh, stored, now } = await open()
    const code = await giveCode()
    const before = await stored()
    const refused = await post('/token', code)
    expect([refused.status, refused.body.error]).toEqual([400, 'invalid_dpop_proof'])
    expect(await stored()).toEqual(before)
    const given = await post('/token', code, { dpop: await proofOf(key, { at: now() }) })
    expect(given.body.token_type).toBe('DPoP')
    const between = await stored()
    expect((await refresh(given.body.refresh_token)).body.error).toBe('invalid_dpop_proof')
    expect(await stored()).toEqual(between)
  })

  test('tokens of third parties need no proof', async () => {
    const { giveCode, post } = await open()
    expect((await post('/token', await giveCode('other-spa'))).body.token_type).toBe('Bearer')
  })

  test("a resource recognizes only the service's own tokens as first-party", async () => {
    const { server, signIn, now } = await open()
    const url = resource
    const readAs = async (clientId: string, at: typeof server) => {
      const { access_token: token } = await signIn(clientId, {}, { dpop: await proofOf(key, { at: now() }) })
      const dpop = await proofOf(key, { at: now(), url, token })
      const headers = new Map([['authorization', `DPoP ${token}`]]).set('dpop', dpop)
      const verdict = await at.readAccessToken({ method: 'POST', target: '/graphql', headers })
      return verdict.ok && verdict.firstParty
    }
    expect([await readAs('spa', server), await readAs('other-spa', server)]).toEqual([true, false])
  })

  test('tokens without a key from before the client became first-party stay third-party', async () => {
    const earlier = await openServer()
    const { access_token: token } = await earlier.signIn()
    const { records, documents, keys, refreshTokens, now, epochs } = earlier
    const later = createAuthorizationServer({
      ...{ issuer, records, documents, keys, refreshTokens, now, fixedClients: own },
      secrets: [{ id: '2026-11', bytes: new Uint8Array(32).fill(5) }],
      resources: [resource],
      scopes: ['articles:read', 'articles:create'],
      claims: async () => null,
      signedIn: async () => null,
      accountState: async (subject) => ({ epoch: epochs.get(subject) ?? 0 }),
      pages: { signIn: '/sign-in', consent: '/consent' },
    })
    const headers = new Map([['authorization', `Bearer ${token}`]])
    const verdict = await later.readAccessToken({ method: 'POST', target: '/graphql', headers })
    expect(verdict).toMatchObject({ ok: true, firstParty: false })
  })
})

describe('the registration of a first-party client', () => {
  const input = { name: 'App', authentication: ['none'], redirectUris: [callback], firstParty: true } as const

  test('a first-party client is first-party after it is read from the store', async () => {
    const documents = createMemoryDocumentStore()
    const registry = createClientRegistry({ documents })
    const { client } = await registry.create({ ...input, id: 'app', scopes: ['openid', 'articles:read'] })
    await registry.create({ ...input, id: 'other', firstParty: false })
    const { items } = await registry.list()
    expect([client.firstParty, ...items.map(({ id, firstParty }) => [id, firstParty])]).toEqual([
      true,
      ['app', true],
      ['other', false],
    ])
    const provider = await createProvider({ documents, fixedClients: [] })
    const browser = provider.openBrowser()
    browser.signIn()
    expect(answerOf(await browser.get(authorizeTarget({ client_id: 'app' }))).code).toEqual(expect.any(String))
  })

  const deviceCode = 'urn:ietf:params:oauth:grant-type:device_code'
  test.each<[string, object]>([
    ['a secret', { authentication: ['client_secret_basic'], secret: 'secret' }],
    ['a key', { authentication: ['private_key_jwt'], jwks: { keys: [key.publicJwk] } }],
    ['no redirect', { redirectUris: [], grantTypes: ['refresh_token'] }],
    ['the device grant', { grantTypes: ['authorization_code', deviceCode] }],
    ['the device grant alone', { redirectUris: [], grantTypes: [deviceCode] }],
    ['a text for firstParty', { firstParty: 'true' }],
  ])('a first-party client is refused with %s, stored or in code', async (_what, change) => {
    const documents = createMemoryDocumentStore()
    const { secret: _secret, ...stored } = { ...input, secret: '', ...change }
    await expect(createClientRegistry({ documents }).create(stored as never)).rejects.toMatchObject({
      code: 'OAUTH_CLIENT_INVALID',
    })
    expect((await documents.list('oauth-client')).items).toEqual([])
    const fixedClients = [{ ...input, id: 'app', ...change } as FixedClient]
    await expect(createProvider({ fixedClients })).rejects.toThrow('"fixedClients"')
  })
})
