import { createPkcePair } from '@latchkey/oauth'
import { createClientRegistry } from '@latchkey/oauth/server'
import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { answerOf, authorizeTarget, callback, createProvider, decideAt } from '../support/provider.ts'
import { basic, claimsOf, openServer, redirectUri } from './open-server.ts'

const device = 'urn:ietf:params:oauth:grant-type:device_code'

async function changeStored(documents: DocumentStore, id: string, change: object): Promise<void> {
  const { value = '', version = '' } = (await documents.get('oauth-client', id)) ?? {}
  const changed = { version: `${version} changed`, value: JSON.stringify({ ...JSON.parse(value), ...change }) }
  expect(await documents.replace({ collection: 'oauth-client', id, version }, changed)).toBe(true)
}

const narrowStored = (documents: DocumentStore, id: string, scopes: readonly string[]) =>
  changeStored(documents, id, { scopes })

/** A server with a stored client whose registration can change. */
async function setUp(scopes: readonly string[] = ['openid', 'profile', 'email', 'offline_access', 'articles:read']) {
  const opened = await openServer()
  const registry = createClientRegistry({ documents: opened.documents, now: opened.now })
  const { client, secret } = await registry.create({
    id: 'stored',
    name: 'Stored',
    authentication: ['client_secret_basic'],
    grantTypes: ['authorization_code', 'refresh_token', 'client_credentials'],
    redirectUris: [redirectUri],
    scopes,
  })
  const headers = basic(client.id, secret ?? '')
  const narrow = (...left: readonly string[]) => narrowStored(opened.documents, client.id, left)
  const given = { scopes: ['openid', 'email', 'offline_access', 'articles:read'] }
  const giveCode = () => opened.giveCode('stored', given)
  const { refresh, post } = opened
  return {
    ...opened,
    narrow,
    chooseAlgorithm: (idTokenSignedResponseAlg: string | null) =>
      changeStored(opened.documents, client.id, { idTokenSignedResponseAlg }),
    headers,
    giveCode,
    redeem: async () => (await post('/token', await giveCode(), headers)).body,
    refresh: (token: string | undefined, form = {}) => refresh(token, { client_id: 'stored', ...form }, headers),
    introspect: async (token = '') => (await post('/introspect', { token }, headers)).body,
  }
}

describe('a client whose registration was narrowed', () => {
  test('a narrowed client refreshes to its present scopes, and no others', async () => {
    const { redeem, refresh, narrow, stored } = await setUp()
    const first = await redeem()
    await narrow('openid', 'offline_access', 'articles:read')
    const second = await refresh(first.refresh_token)
    expect(second.body.scope).toBe('openid offline_access articles:read')
    expect(claimsOf(second.body.access_token).scope).toBe('openid offline_access articles:read')
    const before = await stored()
    expect(await refresh(second.body.refresh_token, { scope: 'email' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_scope' },
    })
    expect(await stored()).toEqual(before)
    expect((await refresh(second.body.refresh_token)).status).toBe(200)
  })

  test('a narrowed client without offline_access cannot refresh', async () => {
    const { redeem, refresh, narrow } = await setUp()
    const first = await redeem()
    await narrow('openid', 'articles:read')
    expect((await refresh(first.refresh_token)).body.error).toBe('invalid_grant')
  })

  test("a narrowed client's access tokens open its present scopes only, from the next request on", async () => {
    const { redeem, narrow, present, introspect, server } = await setUp()
    const { access_token: token = '' } = await redeem()
    expect((await present(token)).body).toMatchObject({ email: 'ada@example.com' })
    await narrow('openid', 'offline_access')
    expect((await present(token)).body).toEqual({ sub: 'acc_1' })
    expect(await introspect(token)).toMatchObject({ active: true, scope: 'openid offline_access' })
    const request = { method: 'POST', target: '/graphql', headers: new Map([['authorization', `Bearer ${token}`]]) }
    const verdict = await server.readAccessToken(request)
    expect(verdict.ok && verdict.token.scopes).toEqual(['openid', 'offline_access'])
    await narrow('offline_access')
    expect((await present(token)).status).toBe(403)
  })

  test("introspection of a narrowed client's refresh tokens returns the present scopes", async () => {
    const { redeem, narrow, introspect } = await setUp()
    const { refresh_token: token } = await redeem()
    await narrow('openid', 'offline_access')
    expect(await introspect(token)).toMatchObject({ active: true, scope: 'openid offline_access' })
    await narrow('openid')
    expect(await introspect(token)).toEqual({ active: false })
  })

  test("a narrowed client's own tokens have its present scopes only", async () => {
    const { post, narrow, headers, introspect } = await setUp()
    const { access_token: token = '' } = (await post('/token', { grant_type: 'client_credentials' }, headers)).body
    expect(await introspect(token)).toMatchObject({ scope: 'articles:read' })
    await narrow('openid')
    expect(await introspect(token)).toMatchObject({ active: true, scope: '' })
  })

  test('a narrowed client gets the present scopes for a code', async () => {
    const { giveCode, post, narrow, headers } = await setUp()
    const code = await giveCode()
    await narrow('openid', 'articles:read')
    const { body } = await post('/token', code, headers)
    expect(body).toMatchObject({ scope: 'openid articles:read' })
    expect(body).not.toHaveProperty('refresh_token')
  })

  test('a client that is widened again needs no new consent, up to the allowed scopes', async () => {
    const { redeem, refresh, narrow } = await setUp()
    const first = await redeem()
    await narrow('offline_access')
    const second = await refresh(first.refresh_token)
    expect(second.body.scope).toBe('offline_access')
    await narrow('openid', 'profile', 'email', 'offline_access', 'articles:read', 'articles:create')
    expect((await refresh(second.body.refresh_token)).body.scope).toBe(first.scope)
  })
})

describe('a client whose algorithm for id tokens the server no longer has', () => {
  const unsigned = { status: 400, body: { error: 'invalid_scope' } }

  test('is refused a refresh that would return an id token, and the refresh token stays unused', async () => {
    const { redeem, refresh, chooseAlgorithm, stored } = await setUp()
    const first = await redeem()
    await chooseAlgorithm('RS256')
    const before = await stored()
    expect(await refresh(first.refresh_token)).toMatchObject(unsigned)
    expect(await stored()).toEqual(before)
    const narrower = await refresh(first.refresh_token, { scope: 'articles:read' })
    expect(narrower.status).toBe(200)
    expect(narrower.body).not.toHaveProperty('id_token')
    await chooseAlgorithm(null)
    expect((await refresh(narrower.body.refresh_token)).body).toHaveProperty('id_token')
  })

  test('is refused a code, which stays unused', async () => {
    const { giveCode, post, headers, chooseAlgorithm, stored } = await setUp()
    const code = await giveCode()
    await chooseAlgorithm('RS256')
    const before = await stored()
    expect(await post('/token', code, headers)).toMatchObject(unsigned)
    expect(await stored()).toEqual(before)
    await chooseAlgorithm(null)
    expect((await post('/token', code, headers)).body).toHaveProperty('id_token')
  })
})

describe('a client that is narrowed during the consent', () => {
  async function waiting() {
    const documents = createMemoryDocumentStore()
    const registry = createClientRegistry({ documents })
    const common = { name: 'Stored', authentication: ['none'], scopes: ['openid', 'articles:read'] } as const
    await registry.create({ ...common, id: 'stored', redirectUris: [callback] })
    await registry.create({ ...common, id: 'tv', grantTypes: [device] })
    const provider = await createProvider({ documents })
    const browser = provider.openBrowser()
    browser.signIn()
    const narrow = (id: string) => narrowStored(documents, id, ['openid'])
    return { provider, browser, narrow }
  }

  test('a client that is narrowed during the consent gets no code, and no consent is stored', async () => {
    const { provider, browser, narrow } = await waiting()
    const { challenge } = createPkcePair()
    const asked = await browser.get(authorizeTarget({ client_id: 'stored', code_challenge: challenge }))
    await narrow('stored')
    await expect(decideAt(provider, browser, asked)).rejects.toThrow('no decision: unknown')
    expect(await provider.server.listGrants('acc_ada')).toEqual([])
    const again = await browser.get(authorizeTarget({ client_id: 'stored' }))
    expect(answerOf(again)).toMatchObject({ error: 'invalid_scope' })
  })

  test('a device of a client that is narrowed during the consent gets only the present scopes', async () => {
    const { provider, browser, narrow } = await waiting()
    const form = { client_id: 'tv', scope: 'openid articles:read' }
    const codes = await (await browser.post('/device_authorization', form)).json()
    await narrow('tv')
    const shown = await provider.server.readDevice(browser.request('/device'), codes.user_code)
    expect(shown).toMatchObject({ ok: true, scopes: ['openid'] })
    const decision = { userCode: codes.user_code, token: shown.ok ? shown.token : null, decision: 'allow' } as const
    expect(await provider.server.decideDevice(browser.request('/device'), decision)).toEqual({ ok: true })
    expect(await provider.server.listGrants('acc_ada')).toMatchObject([{ scopes: ['openid'] }])
    const poll = { client_id: 'tv', grant_type: device, device_code: codes.device_code }
    expect(await (await browser.post('/token', poll)).json()).toMatchObject({ scope: 'openid' })
  })
})

test('a device of a client whose algorithm for id tokens the server no longer has is refused, and its code stays unused', async () => {
  const documents = createMemoryDocumentStore()
  const registry = createClientRegistry({ documents })
  const scopes = ['openid', 'articles:read']
  await registry.create({ id: 'tv', name: 'TV', authentication: ['none'], scopes, grantTypes: [device] })
  const provider = await createProvider({ documents })
  const browser = provider.openBrowser()
  browser.signIn()
  const codes = await (await browser.post('/device_authorization', { client_id: 'tv', scope: 'openid' })).json()
  const shown = await provider.server.readDevice(browser.request('/device'), codes.user_code)
  const decision = { userCode: codes.user_code, token: shown.ok ? shown.token : null, decision: 'allow' } as const
  await provider.server.decideDevice(browser.request('/device'), decision)
  const form = { client_id: 'tv', grant_type: device, device_code: codes.device_code }
  const poll = async () => (await browser.post('/token', form)).json()
  await changeStored(documents, 'tv', { idTokenSignedResponseAlg: 'RS256' })
  expect(await poll()).toMatchObject({ error: 'invalid_scope' })
  await changeStored(documents, 'tv', { idTokenSignedResponseAlg: null })
  expect(await poll()).toMatchObject({ id_token: expect.any(String) })
})
