import { createMemoryRecordStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import {
  basic,
  claimsOf,
  type Form,
  headerOf,
  issuer,
  openServer,
  otherResource,
  resource,
  webClient,
} from './open-server.ts'

const machine = basic('machine', 'machine-secret')
const grant = { grant_type: 'client_credentials' }
const posted = ['/token', '/revoke', '/introspect']

describe.each(posted)('%s', (path) => {
  test.each(['GET', 'HEAD', 'PUT', 'DELETE', 'OPTIONS', 'PATCH'])('answers %s with 405', async (method) => {
    const { send } = await openServer()
    const answer = await send(path, { method, headers: machine })
    expect(answer.status).toBe(405)
    expect(answer.headers.get('allow')).toBe('POST')
  })

  test.each<[string, string, RequestInit]>([
    ['parameters in its address', '?grant_type=client_credentials', {}],
    ['JSON', '', { headers: { ...machine, 'content-type': 'application/json' }, body: '{"token":"a"}' }],
    [
      'a form of another kind',
      '',
      { headers: { ...machine, 'content-type': 'multipart/form-data; boundary=a' }, body: '' },
    ],
    ['no type', '', { headers: { ...machine, 'content-type': '' }, body: 'token=a' }],
    ['more than a hundred parameters', '', { body: 'a=b&'.repeat(101) }],
    ['a parameter twice', '', { body: 'token=a&token=a' }],
    ['a parameter twice, once empty', '', { body: 'grant_type=client_credentials&grant_type=' }],
    [
      'the scope twice',
      '',
      { body: 'grant_type=client_credentials&token=a&scope=articles:read&scope=articles:create' },
    ],
    ['the client twice', '', { body: 'client_id=machine&client_id=machine' }],
  ])('refuses %s', async (_what, query, init) => {
    const { send } = await openServer()
    const form = { 'content-type': 'application/x-www-form-urlencoded' }
    const refused = await send(`${path}${query}`, {
      method: 'POST',
      body: 'grant_type=client_credentials&token=a',
      headers: { ...machine, ...form },
      ...(init.body === undefined ? {} : { body: init.body }),
      ...(init.headers === undefined ? {} : { headers: init.headers }),
    })
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
    expect(refused.headers.get('cache-control')).toBe('no-store')
  })

  test.each(['charset=utf8', 'charset=ISO-8859-1', 'Charset="us-ascii"', 'charset=UTF-8'])(
    'reads a form with %s whose body is ASCII',
    async (parameter) => {
      const { send } = await openServer()
      const type = `application/x-www-form-urlencoded; ${parameter}`
      const body = 'grant_type=client_credentials&token=a'
      const answer = await send(path, { method: 'POST', body, headers: { ...machine, 'content-type': type } })
      expect(answer.status).toBe(200)
    },
  )

  test.each<[string, string, string]>([
    ['charset=utf-16', 'token=a', 'of another charset'],
    ['charset=windows-1252', 'token=a', 'of a charset that is like one'],
    ['charset=iso-8859-1; charset=utf-8', 'token=a', 'of two charsets'],
    ['charset=', 'token=a', 'of no charset'],
    ['charset=iso-8859-1', 'token=\u00e9', 'of another charset than its bytes'],
    ['charset=iso-8859-1', 'token=%E9', 'of escapes beyond ASCII'],
    ['charset=us-ascii', 'token=a&x=%c3%a9', 'of escapes beyond ASCII, in lower case'],
  ])('refuses a form with %s and %s: %s', async (parameter, rest) => {
    const { send } = await openServer()
    const type = `application/x-www-form-urlencoded; ${parameter}`
    const body = `grant_type=client_credentials&${rest}`
    const refused = await send(path, { method: 'POST', body, headers: { ...machine, 'content-type': type } })
    expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test('is a 503 while a store does not answer, and never a refusal of the client', async () => {
    const documents = {
      ...(await openServer()).documents,
      get: () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')),
    }
    const { post } = await openServer({ options: { documents } })
    const answer = await post(path, { ...grant, token: 'a', client_id: 'registered' })
    expect(answer).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
    expect(answer.headers.get('retry-after')).toBe('1')
  })
})

describe('a grant', () => {
  test.each<[string, Form, string]>([
    ['that is not named', {}, 'invalid_request'],
    ['that is empty', { grant_type: '' }, 'invalid_request'],
    ['with a password', { grant_type: 'password', username: 'a', password: 'b' }, 'unsupported_grant_type'],
    ['that is implicit', { grant_type: 'implicit' }, 'unsupported_grant_type'],
    ['of another case', { grant_type: 'Client_Credentials' }, 'unsupported_grant_type'],
    ['with the name of an inherited member', { grant_type: 'constructor' }, 'unsupported_grant_type'],
    ['that the client may not use', { grant_type: 'authorization_code', code: 'a' }, 'unauthorized_client'],
    ['of devices', { grant_type: 'urn:ietf:params:oauth:grant-type:device_code' }, 'unauthorized_client'],
  ])('%s is refused', async (_what, form, error) => {
    const { post } = await openServer()
    expect(await post('/token', form, machine)).toMatchObject({ status: 400, body: { error } })
  })

  test('the grant of a client for itself is refused to clients without a secret and to clients of users', async () => {
    const { post } = await openServer()
    expect((await post('/token', { ...grant, client_id: 'spa' })).body.error).toBe('unauthorized_client')
    expect((await post('/token', grant, webClient)).body.error).toBe('unauthorized_client')
  })
})

describe('a token of a client for itself', () => {
  test("a client's own token has the client as its subject, its scopes, no user and no refresh token", async () => {
    const { post, events } = await openServer()
    const { status, body } = await post('/token', grant, machine)
    expect(status).toBe(200)
    expect(Object.keys(body).sort()).toEqual(['access_token', 'expires_in', 'scope', 'token_type'])
    expect(body.scope).toBe('articles:read articles:create')
    expect(headerOf(body.access_token).typ).toBe('at+jwt')
    const claims = claimsOf(body.access_token)
    expect(claims).toMatchObject({ iss: issuer, sub: 'machine', client_id: 'machine', aud: resource })
    for (const name of ['sid', 'epoch', 'auth_time', 'amr', 'acr', 'role']) expect(claims).not.toHaveProperty(name)
    expect(events).toMatchObject([{ type: 'client.served', clientId: 'machine', grantType: 'client_credentials' }])
  })

  test('a client can request fewer scopes for its own token', async () => {
    const { post } = await openServer()
    const { body } = await post('/token', { ...grant, scope: ' articles:create  ' }, machine)
    expect(body.scope).toBe('articles:create')
  })

  test.each<[string, Form, string]>([
    ['a scope that it may not request', { scope: 'articles:read articles:delete' }, 'invalid_scope'],
    ['the scope openid', { scope: 'openid' }, 'invalid_scope'],
    ['the scope offline_access', { scope: 'articles:read offline_access' }, 'invalid_scope'],
    ['a text that is no list of scopes', { scope: 'articles:read\tarticles:create' }, 'invalid_scope'],
    ['an unknown resource', { resource: 'https://evil.example/' }, 'invalid_target'],
  ])("a client's own token is refused with %s", async (_what, form, error) => {
    const { post } = await openServer()
    expect(await post('/token', { ...grant, ...form }, machine)).toMatchObject({ status: 400, body: { error } })
  })

  test("a client's own token is for the requested resource", async () => {
    const { post } = await openServer()
    const { body } = await post('/token', { ...grant, resource: otherResource }, machine)
    expect(claimsOf(body.access_token).aud).toBe(otherResource)
  })
})

describe('an id token', () => {
  test.each(['ES256', 'RS256', 'EdDSA'] as const)(
    'an id token of %s has the hash of its access token',
    async (algorithm) => {
      const { signIn } = await openServer({ algorithm })
      const { id_token, access_token } = await signIn()
      expect(headerOf(id_token)).toMatchObject({ alg: algorithm, typ: 'JWT' })
      const digest = algorithm === 'EdDSA' ? 'SHA-512' : 'SHA-256'
      const hash = new Uint8Array(await crypto.subtle.digest(digest, new TextEncoder().encode(access_token)))
      expect(claimsOf(id_token).at_hash).toBe(Buffer.from(hash.subarray(0, hash.length / 2)).toString('base64url'))
    },
  )

  const at = 1_799_999_000_000
  const password = { kind: 'password', at, category: 'know' }
  const totp = { kind: 'totp', at: at + 5000, category: 'have' }
  test.each([
    ['a password', [password], ['pwd'], '1fa'],
    ['a password and a code', [password, totp], ['pwd', 'otp', 'mfa'], '2fa'],
    ['a code of a mail', [{ kind: 'email-code', at, category: 'know' }], ['otp'], '1fa'],
    ['two factors of the same category', [totp, { kind: 'passkey', at, category: 'have' }], ['otp', 'hwk'], '1fa'],
    ['a passkey that verified its user', [{ kind: 'passkey', at, category: 'are+have' }], ['hwk', 'mfa'], '2fa'],
    [
      'proofs of an earlier release, without categories',
      [
        { kind: 'password', at },
        { kind: 'totp', at },
      ],
      ['pwd', 'otp', 'mfa'],
      '2fa',
    ],
    ['a provider', [{ kind: 'provider', at, category: 'know' }], [], '1fa'],
  ])('an id token has the time and the methods of a sign-in by %s', async (_what, factors, amr, acr) => {
    const { signIn } = await openServer()
    const { id_token } = await signIn('spa', { factors, authenticatedAt: at })
    expect(claimsOf(id_token)).toMatchObject({ auth_time: at / 1000, amr, acr: `urn:latchkey:${acr}` })
  })

  test("an id token has no time of the sign-in if the user's provider states none", async () => {
    const { signIn } = await openServer()
    const factors = [{ kind: 'provider', at: 0, category: 'know' }] as const
    const { id_token, access_token } = await signIn('spa', { factors, authenticatedAt: 0 })
    for (const token of [id_token, access_token]) expect(claimsOf(token)).not.toHaveProperty('auth_time')
  })

  test('an id token has no nonce if the request has none', async () => {
    const { signIn } = await openServer()
    expect(claimsOf((await signIn('spa', { nonce: null })).id_token)).not.toHaveProperty('nonce')
  })
})

test('a store that fails after the use of a code sends no token, and stores no family', async () => {
  let isDown = false
  const { giveCode, post, stored } = await openServer({
    records: (now) => {
      const memory = createMemoryRecordStore({ now })
      const insert = (record: Parameters<typeof memory.insert>[0]) =>
        isDown ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) : memory.insert(record)
      return { ...memory, insert }
    },
  })
  const code = await giveCode()
  isDown = true
  expect((await post('/token', code)).status).toBe(503)
  isDown = false
  expect((await post('/token', code)).body.error).toBe('invalid_grant')
  expect((await stored()).filter(({ key }) => key.startsWith('rt_'))).toEqual([])
})
