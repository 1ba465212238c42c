import { randomBytes } from '@latchkey/bytes'
import type { FixedClient } from '@latchkey/oauth/server'
import { createRateLimit } from '@latchkey/rate-limit'
import { createMemoryCounterStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createProvider, issuer, spa } from './support/provider.ts'

const grantType = 'urn:ietf:params:oauth:grant-type:device_code'
const television: FixedClient = {
  id: 'tv',
  name: 'Television',
  authentication: ['none'],
  grantTypes: [grantType, 'refresh_token'],
  scopes: ['openid', 'articles:read'],
}

async function setUp(changes = {}) {
  const provider = await createProvider({ fixedClients: [television, spa], ...changes })
  const browser = provider.openBrowser()
  browser.signIn()
  const post = async (target: string, form: Record<string, string>) => {
    const response = await provider.openBrowser().post(target, { client_id: 'tv', ...form })
    return { status: response.status, body: await response.json() }
  }
  const begin = async (scope = 'openid articles:read') => (await post('/device_authorization', { scope })).body
  const poll = async (deviceCode: string) => {
    const { body } = await post('/token', { grant_type: grantType, device_code: deviceCode })
    return body.error ?? body.token_type
  }
  return { provider, browser, post, begin, poll, server: provider.server }
}

describe('a device', () => {
  test('a device gets a device code and a user code', async () => {
    const { post } = await setUp()
    expect(await post('/device_authorization', { scope: 'openid' })).toEqual({
      status: 200,
      body: {
        device_code: expect.stringMatching(/^dc_/),
        user_code: expect.stringMatching(/^[BCDFGHJKLMNPQRSTVWXZ]{4}-[BCDFGHJKLMNPQRSTVWXZ]{4}$/),
        verification_uri: `${issuer}/device`,
        verification_uri_complete: expect.stringContaining(`${issuer}/device?user_code=`),
        expires_in: 600,
        interval: 5,
      },
    })
  })

  test.each([
    ['with a scope of other clients', { scope: 'comments:create' }, 'invalid_scope'],
    ['without a scope', {}, 'invalid_scope'],
    ['with another resource', { scope: 'openid', resource: 'https://evil.example/' }, 'invalid_target'],
    ['for a client without devices', { scope: 'openid', client_id: 'spa' }, 'unauthorized_client'],
    ['for an unknown client', { scope: 'openid', client_id: 'evil' }, 'invalid_client'],
  ])('is refused %s', async (_title, form, error) => {
    const { post } = await setUp()
    expect((await post('/device_authorization', form as Record<string, string>)).body.error).toBe(error)
  })

  test('a device waits until its user has seen and allowed its request', async () => {
    const { browser, server, begin, poll, provider } = await setUp()
    const { device_code, user_code } = await begin()
    expect(await poll(device_code)).toBe('authorization_pending')
    const typedCodes = [
      ...[user_code, user_code.toLowerCase(), user_code.replace('-', ''), ` ${user_code} `],
      ...[user_code.replace('-', '\uff0d'), user_code.replace('-', '\u200b'), `\u2066${user_code}\u2069`],
    ]
    for (const typed of typedCodes) {
      expect(await server.readDevice(browser.request('/device'), typed)).toMatchObject({
        ok: true,
        client: { id: 'tv', name: 'Television' },
        scopes: ['openid', 'articles:read'],
      })
    }
    const shown = await server.readDevice(browser.request('/device'), user_code)
    const token = shown.ok ? shown.token : null
    const decision = { userCode: user_code, token, decision: 'allow' } as const
    expect(await server.decideDevice(browser.request('/device'), decision)).toEqual({ ok: true })
    expect(await server.decideDevice(browser.request('/device'), decision)).toEqual({ ok: false, reason: 'over' })
    provider.advance(5)
    expect(await poll(device_code)).toBe('Bearer')
    expect(await poll(device_code)).toBe('expired_token')
    expect(await server.listGrants('acc_ada')).toMatchObject([{ clientId: 'tv' }])
  })

  test('a device learns that it polls too fast, that its user refused, and that its code expired', async () => {
    const { browser, server, begin, poll, provider } = await setUp()
    const { device_code, user_code } = await begin()
    expect(await poll(device_code)).toBe('authorization_pending')
    expect(await poll(device_code)).toBe('slow_down')
    const shown = await server.readDevice(browser.request('/device'), user_code)
    const decision = { userCode: user_code, token: shown.ok ? shown.token : null, decision: 'deny' } as const
    expect(await server.decideDevice(browser.request('/device'), decision)).toEqual({ ok: true })
    provider.advance(5)
    expect(await poll(device_code)).toBe('access_denied')
    expect(provider.events.map(({ type }) => type)).toContain('grant.denied')
    const late = await begin()
    provider.advance(600)
    expect(await poll(late.device_code)).toBe('expired_token')
    expect(await server.readDevice(browser.request('/device'), late.user_code)).toEqual({
      ok: false,
      reason: 'unknown',
    })
  })

  test('is answered once: of twenty concurrent forms one succeeds', async () => {
    const { browser, server, begin } = await setUp()
    const { user_code } = await begin()
    const shown = await server.readDevice(browser.request('/device'), user_code)
    const decision = { userCode: user_code, token: shown.ok ? shown.token : null, decision: 'allow' } as const
    const decide = () => server.decideDevice(browser.request('/device'), decision)
    const verdicts = await Promise.all(Array.from({ length: 20 }, decide))
    expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
  })

  test('a device that is allowed and denied at the same time has one answer, and only an allowed consent is stored', async () => {
    const left = { allow: { count: 1, poll: 'Bearer' }, deny: { count: 0, poll: 'access_denied' } }
    const outcomes = new Set<string>()
    for (let round = 0; round < 10; round++) {
      const { browser, server, begin, poll, provider } = await setUp()
      const device = await begin()
      const shown = await server.readDevice(browser.request('/device'), device.user_code)
      const given = { userCode: device.user_code, token: shown.ok ? shown.token : null }
      const decide = async (decision: 'allow' | 'deny') => {
        const { ok } = await server.decideDevice(browser.request('/device'), { ...given, decision })
        return ok ? [decision] : []
      }
      const order = round % 2 ? (['allow', 'deny'] as const) : (['deny', 'allow'] as const)
      const [won = 'deny', ...others] = (await Promise.all(order.map(decide))).flat()
      expect(others).toEqual([])
      expect(await server.listGrants('acc_ada')).toHaveLength(left[won].count)
      expect(provider.events.filter(({ type }) => type === 'grant.given')).toHaveLength(left[won].count)
      expect(await poll(device.device_code)).toBe(left[won].poll)
      outcomes.add(won)
    }
    expect(outcomes).toEqual(new Set(['allow', 'deny']))
  })

  test('a device waits while its answer is stored, and an incomplete answer grants no token', async () => {
    const { records: store } = await setUp().then(({ provider }) => provider)
    const { StoreError, createMemoryDocumentStore } = await import('@latchkey/store')
    const documents = createMemoryDocumentStore()
    const insert = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down'))
    const { browser, server, begin, poll } = await setUp({ records: store, documents: { ...documents, insert } })
    const device = await begin()
    const shown = await server.readDevice(browser.request('/device'), device.user_code)
    const given = { userCode: device.user_code, token: shown.ok ? shown.token : null }
    await expect(server.decideDevice(browser.request('/device'), { ...given, decision: 'allow' })).rejects.toThrow()
    expect(await poll(device.device_code)).toBe('authorization_pending')
    const again = await server.decideDevice(browser.request('/device'), { ...given, decision: 'deny' })
    expect(again).toEqual({ ok: false, reason: 'over' })
  })
})

describe('the code of a device', () => {
  test('a user code is looked up only with a session', async () => {
    const { server, begin, provider } = await setUp()
    const { user_code } = await begin()
    const stranger = provider.openBrowser().request('/device')
    expect(await server.readDevice(stranger, user_code)).toEqual({ ok: false, reason: 'signed-out' })
    const decision = { userCode: user_code, token: null, decision: 'allow' } as const
    expect(await server.decideDevice(stranger, decision)).toEqual({ ok: false, reason: 'signed-out' })
  })

  test('a user code is answered by no form of another session or another device', async () => {
    const { browser, server, begin, poll } = await setUp()
    const [one, other] = [await begin(), await begin()]
    const foreign = await server.readDevice(browser.request('/device'), other.user_code)
    const own = await server.readDevice(browser.request('/device'), one.user_code)
    const decide = (token: string | null) =>
      server.decideDevice(browser.request('/device'), { userCode: one.user_code, token, decision: 'allow' })
    for (const token of [null, '', foreign.ok ? foreign.token : '']) {
      expect(await decide(token)).toEqual({ ok: false, reason: 'token' })
    }
    browser.signIn('acc_eve')
    expect(await decide(own.ok ? own.token : null)).toEqual({ ok: false, reason: 'token' })
    expect(await poll(one.device_code)).toBe('authorization_pending')
    expect(await server.listGrants('acc_eve')).toEqual([])
  })

  test('a user code is guessed at most five times a minute by an account and from an address, and right codes do not count', async () => {
    const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const
    let time = 1_790_000_000_000
    const now = () => time
    const counters = createMemoryCounterStore({ now })
    const policy = { name: 'user-code', limit: 5, windowSeconds: 60 }
    const userCodeLimit = createRateLimit({ counters, secrets, now, ...policy })
    const { browser, server, begin, provider } = await setUp({ userCodeLimit, now })
    const { user_code } = await begin()
    const read = (code: string, from = browser) => server.readDevice(from.request('/device'), code)
    for (let right = 0; right < 10; right++) expect(await read(user_code)).toMatchObject({ ok: true })
    for (const wrong of ['BBBB-BBBB', 'short', '', 'A'.repeat(9), '0000-0000']) {
      expect(await read(wrong)).toEqual({ ok: false, reason: 'unknown' })
    }
    expect(await read(user_code)).toEqual({ ok: false, reason: 'throttled', retryAfterSeconds: 60 })
    const eve = provider.openBrowser()
    eve.signIn('acc_eve')
    expect(await read(user_code, eve)).toMatchObject({ reason: 'throttled' })
    const elsewhere = { ...browser.request('/device'), peerAddress: '203.0.113.9' }
    expect(await server.readDevice(elsewhere, user_code)).toMatchObject({ reason: 'throttled' })
    const herOwn = { ...eve.request('/device'), peerAddress: '203.0.113.9' }
    expect(await server.readDevice(herOwn, user_code)).toMatchObject({ ok: true })
    time += 60_000
    expect(await read(user_code)).toMatchObject({ ok: true })
  })
})
