import { createMemoryRecordStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import {
  claimsOf,
  garbage,
  headerOf,
  issuer,
  openServer,
  otherResource,
  redirectUri,
  resource,
  webClient,
} from './open-server.ts'

describe('a code', () => {
  test('a code returns an access token, a refresh token and an id token in a response that must not be stored', async () => {
    const { giveCode, post, now } = await openServer()
    const answer = await post('/token', await giveCode())
    expect(answer.status).toBe(200)
    expect(answer.headers.get('cache-control')).toBe('no-store')
    expect(answer.headers.get('pragma')).toBe('no-cache')
    const { access_token, refresh_token, id_token, ...others } = answer.body
    expect(others).toEqual({ token_type: 'Bearer', expires_in: 900, scope: 'openid offline_access articles:read' })
    expect(refresh_token).toMatch(/^rt_/)
    const seconds = Math.floor(now() / 1000)
    expect(headerOf(access_token)).toMatchObject({ typ: 'at+jwt', alg: 'ES256' })
    expect(claimsOf(access_token)).toMatchObject({
      iss: issuer,
      sub: 'acc_1',
      aud: resource,
      client_id: 'spa',
      scope: 'openid offline_access articles:read',
      iat: seconds,
      exp: seconds + 900,
      jti: expect.any(String),
      sid: expect.stringMatching(/^rt_/),
    })
    expect(claimsOf(id_token)).toMatchObject({ iss: issuer, sub: 'acc_1', aud: 'spa', nonce: 'n-1', sid: 'se_1' })
  })

  test('a code without offline_access returns no refresh token, and its tokens can be revoked', async () => {
    const { giveCode, post, present, refreshTokens } = await openServer()
    const code = await giveCode('spa', { scopes: ['openid'] })
    const { body } = await post('/token', code)
    expect(body).not.toHaveProperty('refresh_token')
    expect(body.scope).toBe('openid')
    expect((await present(body.access_token)).status).toBe(200)
    expect(await refreshTokens.revokeBySession('acc_1', 'se_1')).toBe(1)
    expect((await present(body.access_token)).status).toBe(401)
  })

  test('returns an id token only with openid', async () => {
    const { signIn } = await openServer()
    expect(await signIn('spa', { scopes: ['articles:read'] })).not.toHaveProperty('id_token')
  })

  test("a code with offline_access gives tokens that outlive the browser's session", async () => {
    const { signIn, present, refreshTokens } = await openServer()
    const { access_token } = await signIn()
    expect(await refreshTokens.revokeBySession('acc_1', 'se_1')).toBe(0)
    expect((await present(access_token)).status).toBe(200)
  })

  test('a code of a client with a secret needs the secret', async () => {
    const { giveCode, post } = await openServer()
    const { client_id: _id, ...code } = await giveCode('web')
    expect((await post('/token', { ...code, client_id: 'web' })).body.error).toBe('invalid_client')
    expect((await post('/token', code, webClient)).status).toBe(200)
  })

  test.each<[string, object, string]>([
    ['no code', { code: '' }, 'invalid_request'],
    ['a guessed code', { code: garbage() }, 'invalid_grant'],
    ['another redirect', { redirect_uri: `${redirectUri}/` }, 'invalid_grant'],
    ['no redirect', { redirect_uri: '' }, 'invalid_grant'],
    ['the redirect in another case', { redirect_uri: redirectUri.toUpperCase() }, 'invalid_grant'],
    ['another verifier', { code_verifier: 'a'.repeat(43) }, 'invalid_grant'],
    ['no verifier', { code_verifier: '' }, 'invalid_grant'],
    ['another client', { client_id: 'other-spa' }, 'invalid_grant'],
    ['an unknown resource', { resource: 'https://evil.example/' }, 'invalid_target'],
    ['a resource without a consent', { resource: otherResource }, 'invalid_target'],
  ])('with %s is refused and stays unused', async (_what, change, error) => {
    const { giveCode, post, stored } = await openServer()
    const code = await giveCode()
    const before = await stored()
    const refused = await post('/token', { ...code, ...change })
    expect(refused).toMatchObject({ status: 400, body: { error } })
    expect(refused.headers.get('cache-control')).toBe('no-store')
    expect(await stored()).toEqual(before)
    expect((await post('/token', code)).status).toBe(200)
  })

  test('a code is refused if its challenge is sent as the verifier: the method plain is not supported', async () => {
    const { giveCode, post } = await openServer()
    const challenge = 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM'
    const code = await giveCode('spa', { challenge })
    expect((await post('/token', { ...code, code_verifier: challenge })).body.error).toBe('invalid_grant')
    expect(
      (await post('/token', { ...code, code_verifier: 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk' })).status,
    ).toBe(200)
  })

  test('a code expires after a minute', async () => {
    const { giveCode, post, advance } = await openServer()
    const [early, late] = [await giveCode(), await giveCode()]
    advance(59.999)
    expect((await post('/token', early)).status).toBe(200)
    advance(0.001)
    expect((await post('/token', late)).body.error).toBe('invalid_grant')
  })

  test('gives a token for the first resource of the consent, or for the requested resource of the consent', async () => {
    const { signIn, giveCode, post } = await openServer()
    const agreed = { resources: [otherResource, resource] }
    expect(claimsOf((await signIn('spa', agreed)).access_token).aud).toBe(otherResource)
    const named = await post('/token', { ...(await giveCode('spa', agreed)), resource })
    expect(claimsOf(named.body.access_token).aud).toBe(resource)
  })

  test('is refused with two resources', async () => {
    const { giveCode, send } = await openServer()
    const form = new URLSearchParams(await giveCode('spa', { resources: [otherResource, resource] }))
    for (const one of [otherResource, resource]) form.append('resource', one)
    expect((await send('/token', { method: 'POST', body: form })).body.error).toBe('invalid_target')
  })
})

describe('a second use of a code', () => {
  const opens = ['access token', 'refresh token', 'introspection'] as const

  test.each([
    ['at once', 0],
    ['at the end of ten minutes', 599.999],
  ])('a second use of a code %s grants no token, and revokes the tokens of the first use', async (_when, seconds) => {
    const { giveCode, post, present, refresh, advance, events } = await openServer()
    const { client_id: _id, ...code } = await giveCode('web')
    const { body } = await post('/token', code, webClient)
    advance(seconds)
    expect((await present(body.access_token)).status).toBe(200)
    expect(await post('/token', code, webClient)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    const after = {
      'access token': (await present(body.access_token)).status,
      'refresh token': (await refresh(body.refresh_token, { client_id: 'web' }, webClient)).body.error,
      introspection: (await post('/introspect', { token: body.access_token ?? '' }, webClient)).body.active,
    }
    expect(Object.keys(after)).toEqual(opens)
    expect(after).toEqual({ 'access token': 401, 'refresh token': 'invalid_grant', introspection: false })
    expect(events.filter(({ type }) => type === 'code.replayed')).toMatchObject([
      { clientId: 'web', accountId: 'acc_1' },
    ])
  })

  test('a used code from another client revokes its tokens, because it was copied', async () => {
    const { giveCode, post, present } = await openServer()
    const code = await giveCode()
    const { body } = await post('/token', code)
    expect((await post('/token', { ...code, client_id: 'other-spa' })).body.error).toBe('invalid_grant')
    expect((await present(body.access_token)).status).toBe(401)
  })

  test('a second use of a code revokes refreshed tokens too', async () => {
    const { giveCode, post, present, refresh } = await openServer()
    const code = await giveCode()
    const { body } = await post('/token', code)
    const refreshed = await refresh(body.refresh_token)
    expect(refreshed.status).toBe(200)
    await post('/token', code)
    expect((await present(refreshed.body.access_token)).status).toBe(401)
    expect((await refresh(refreshed.body.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('a second use of a code is 503 if the store cannot remove the tokens of the first use, and a third use revokes them', async () => {
    let isDown = false
    const { giveCode, post, present, refresh, events } = await openServer({
      records: (now) => {
        const memory = createMemoryRecordStore({ now })
        const remove = (key: string) =>
          isDown ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) : memory.remove(key)
        return { ...memory, remove }
      },
    })
    const code = await giveCode()
    const { body } = await post('/token', code)
    isDown = true
    expect(await post('/token', code)).toMatchObject({ status: 503, body: { error: 'temporarily_unavailable' } })
    expect((await present(body.access_token)).status).toBe(200)
    isDown = false
    expect(await post('/token', code)).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    expect((await present(body.access_token)).status).toBe(401)
    expect((await refresh(body.refresh_token)).body.error).toBe('invalid_grant')
    expect(events.filter(({ type }) => type === 'code.replayed')).toHaveLength(1)
  })
})

describe('the end of a session, account or consent, for a code', () => {
  test('a code grants no token after its session was revoked, its account deleted or its consent withdrawn', async () => {
    const ended: readonly ((opened: Awaited<ReturnType<typeof openServer>>) => unknown)[] = [
      ({ epochs }) => epochs.set('acc_1', 1),
      ({ epochs }) => epochs.delete('acc_1'),
      ({ withdraw }) => withdraw('spa'),
      ({ records }) => records.removeByOwner('acc_1'),
    ]
    for (const end of ended) {
      const opened = await openServer()
      const code = await opened.giveCode()
      await end(opened)
      expect((await opened.post('/token', code)).body).toMatchObject({ error: 'invalid_grant' })
      expect((await opened.stored()).filter(({ key }) => key.startsWith('rt_'))).toEqual([])
    }
  })

  test('a code of a withdrawn consent grants no token after a new consent of the same account', async () => {
    const { giveCode, post, withdraw, consent, stored } = await openServer()
    const code = await giveCode()
    await withdraw('spa')
    await consent('spa')
    expect((await post('/token', code)).body).toMatchObject({ error: 'invalid_grant' })
    expect((await stored()).filter(({ key }) => key.startsWith('rt_'))).toEqual([])
  })
})
