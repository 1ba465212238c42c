import { createPkcePair } from '@latchkey/oauth'
import { createAuthorizationServer } from '@latchkey/oauth/server'
import { createRecoveryCodes, createTotp } from '@latchkey/totp'
import { describe, expect, test } from 'vitest'
import { createBench } from '../support/bench.ts'
import { grantsOf } from '../support/clients/grants-of.ts'
import { createOAuthBench, desk, spa } from './support/oauth-bench.ts'

describe('an authorization server', () => {
  test('is created by the function itself, with the parts of the service', async () => {
    const { server } = createBench({ options: { oauth: createAuthorizationServer } })
    const response = await server.fetch(new Request('https://example.com/.well-known/openid-configuration'))
    expect(JSON.parse(await response.text())).toMatchObject({
      issuer: 'https://example.com',
      token_endpoint: 'https://example.com/token',
      end_session_endpoint: 'https://example.com/end-session',
      scopes_supported: expect.arrayContaining(['openid', 'profile', 'email', 'offline_access', 'notes:write']),
    })
  })

  test('may be given clients and other options besides', async () => {
    const { server } = createBench({
      options: {
        oauth: (parts) => createAuthorizationServer({ ...parts, fixedClients: [spa], scopes: ['notes:write'] }),
      },
    })
    const response = await server.fetch(new Request('https://example.com/.well-known/openid-configuration'))
    expect(JSON.parse(await response.text()).scopes_supported).not.toContain('accounts:read')
  })

  test('is a function, or omitted', () => {
    expect(() => createOAuthBench({ options: { oauth: {} as never } })).toThrow('"oauth" must be a function')
  })

  test('has paths that the endpoint cannot have', () => {
    for (const path of ['/token', '/authorize', '/userinfo/x', '/.well-known/graphql', '/end-session']) {
      expect(() => createBench({ options: { graphql: { path } } })).toThrow('"graphql.path" must not be')
    }
  })

  test('is for the endpoint at the path that it has', async () => {
    const bench = createOAuthBench({ options: { graphql: { path: '/api/graphql' } } })
    const path = '/.well-known/oauth-protected-resource/api/graphql'
    expect(JSON.parse((await bench.visitor().get(path)).text).resource).toBe('https://example.com/api/graphql')
    const { headers } = await bench.server.fetch(
      new Request('https://example.com/api/graphql?query={viewer{id}}', { headers: { authorization: 'Bearer x' } }),
    )
    expect(headers.get('www-authenticate')).toContain(`resource_metadata="https://example.com${path}"`)
  })

  test('answers 500 at its endpoints and emits an event if it cannot be created', async () => {
    const bench = createBench({
      options: {
        oauth: () => {
          throw new TypeError('"fixedClients": wrong')
        },
      },
    })
    expect((await bench.visitor().get('/userinfo')).status).toBe(500)
    expect(bench.events).toContainEqual(expect.objectContaining({ type: 'service.failed', during: 'oauth' }))
  })
})

describe('the endpoints for clients', () => {
  test('are served for the hosts of the service only, with the id of the request', async () => {
    const bench = createOAuthBench()
    const elsewhere = await bench.server.fetch(new Request('https://evil.example/.well-known/openid-configuration'))
    expect(elsewhere.status).toBe(421)
    const here = await bench.visitor().get('/.well-known/openid-configuration')
    expect([here.status, here.headers.get('x-request-id')]).toEqual([200, expect.stringMatching(/.{10}/)])
    expect(here.text).not.toContain('evil')
  })

  test.each(['/token', '/revoke', '/introspect', '/par', '/device_authorization'])(
    '%s takes posted forms only',
    async (path) => {
      const bench = createOAuthBench()
      const got = await bench.visitor().get(path)
      expect([got.status, got.headers.get('allow')]).toEqual([405, 'POST'])
      const json = await bench.visitor().postText(path, '{}', { 'content-type': 'application/json' })
      expect([json.status, JSON.parse(json.text).error]).toEqual([400, 'invalid_request'])
      const query = await bench.visitor().post(`${path}?client_id=spa`, { client_id: 'spa' })
      expect([query.status, JSON.parse(query.text).error]).toEqual([400, 'invalid_request'])
    },
  )

  test('refuse a body that is too long or is not text', async () => {
    const bench = createOAuthBench()
    const headers = { 'content-type': 'application/x-www-form-urlencoded' }
    const send = async (body: BodyInit) =>
      (await bench.server.fetch(new Request('https://example.com/token', { method: 'POST', headers, body }))).status
    expect(await send(`token=${'x'.repeat(40_000)}`)).toBe(413)
    expect(await send(new Uint8Array([0xff, 0xfe]))).toBe(400)
    expect(bench.events).toEqual([])
  })

  test('answer 503 in an outage of a store, without details of a token', async () => {
    let isDown = false
    const bench = createOAuthBench({
      around: async (name, call) => {
        if (isDown && name.startsWith('records.')) throw Object.assign(new Error('x'), { code: 'STORE_UNAVAILABLE' })
        return call()
      },
    })
    const owner = await bench.signedIn()
    const form = await bench.giveCode(owner, { client: desk })
    isDown = true
    const refused = await bench.token(form)
    expect([refused.status, JSON.parse(refused.text).error]).toEqual([503, 'temporarily_unavailable'])
    expect((await owner.get('/authorize?client_id=spa')).status).not.toBe(303)
    isDown = false
    expect((await bench.token(form)).status).toBe(200)
  })

  test('refuse an address that guesses secrets of clients, and no client', async () => {
    const bench = createOAuthBench({ options: { http: { trustedProxies: ['10.0.0.0/8'] } } })
    const guess = () =>
      bench.token({ grant_type: 'client_credentials' }, { authorization: `Basic ${btoa('machine:x')}` })
    for (let made = 0; made < 30; made++) expect((await guess()).status).toBe(401)
    const throttled = await guess()
    expect([throttled.status, Number(throttled.headers.get('retry-after')) > 0]).toEqual([429, true])
    bench.advance(61)
    expect(await bench.machineToken()).not.toBe('')
  })

  test('are routes that measurements and events name', async () => {
    const routes: (string | null)[] = []
    const bench = createOAuthBench({
      options: { observe: { onMeasurement: (said) => void ('route' in said && routes.push(said.route)) } },
    })
    await bench.visitor().get('/userinfo')
    await bench.visitor().get('/.well-known/oauth-protected-resource/graphql')
    await bench.visitor().get('/unknown')
    expect(routes).toEqual(['/userinfo', '/.well-known/oauth-protected-resource/graphql', null])
  })
})

test('a sign-in by any method is accepted at /authorize, and the request waits for it in one browser', async () => {
  const bench = createOAuthBench()
  const visitor = bench.visitor()
  const query = new URLSearchParams({
    response_type: 'code',
    client_id: 'spa',
    redirect_uri: 'https://spa.example.org/callback',
    scope: 'openid',
    state: 's',
    code_challenge: createPkcePair().challenge,
    code_challenge_method: 'S256',
  })
  const asked = await visitor.get(`/authorize?${query}`)
  const location = new URL(asked.headers.get('location') ?? '', 'https://example.com')
  expect([asked.status, location.pathname]).toEqual([303, '/sign-in'])
  const account = await bench.insert()
  await visitor.signIn(account.email, 'otters read quietly at dawn')
  const back = location.searchParams.get('return_to') ?? ''
  const answered = await visitor.get(back)
  expect(answered.headers.get('location')).toMatch(/^https:\/\/spa\.example\.org\/callback\?.*code=/)
  expect((await bench.visitor().get(back)).status).toBe(400)
})

test('an account that must set up a second factor first cannot allow clients', async () => {
  const bench = createOAuthBench({
    options: {
      signIn: {
        totp: createTotp,
        recoveryCodes: createRecoveryCodes,
        secondFactor: { required: ['ADMIN'], graceSeconds: 0 },
      },
    },
  })
  const reader = await bench.signedIn('READER')
  const admin = await bench.signedIn('ADMIN')
  expect((await bench.give(reader)).token_type).toBe('Bearer')
  await expect(bench.giveCode(admin)).rejects.toThrow('no code: 303 /sign-in?')
  expect(await grantsOf(bench, admin.account.id)).toEqual([])
})
