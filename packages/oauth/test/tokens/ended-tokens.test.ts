import { createJwtSigner } from '@latchkey/jwt'
import { describe, expect, test } from 'vitest'
import { basic, claimsOf, garbage, issuer, openServer, otherResource, resource, webClient } from './open-server.ts'

const machine = basic('machine', 'machine-secret')
const other = basic('basic', 'basic-secret')
type Opened = Awaited<ReturnType<typeof openServer>>
const introspect = async ({ post }: Opened, token: unknown, client = webClient) =>
  (await post('/introspect', { token: String(token) }, client)).body

describe('revoking', () => {
  test('revoking a refresh token revokes every access token of its family', async () => {
    const { signIn, refresh, post, present } = await openServer()
    const first = await signIn('spa')
    const { body: second } = await refresh(first.refresh_token)
    const answer = await post('/revoke', { token: second.refresh_token ?? '', client_id: 'spa' })
    expect(answer).toMatchObject({ status: 200, body: {} })
    for (const { access_token } of [first, second]) expect((await present(access_token)).status).toBe(401)
    expect((await refresh(second.refresh_token)).body.error).toBe('invalid_grant')
  })

  test('revoking an earlier refresh token revokes its family too', async () => {
    const { signIn, refresh, post, present } = await openServer()
    const first = await signIn('spa')
    const { body } = await refresh(first.refresh_token)
    await post('/revoke', { token: first.refresh_token ?? '', client_id: 'spa' })
    expect((await present(body.access_token)).status).toBe(401)
  })

  test('revoking an access token revokes only this token', async () => {
    const { signIn, refresh, post, present } = await openServer()
    const first = await signIn('spa')
    const { body: second } = await refresh(first.refresh_token)
    const answer = await post('/revoke', { token: first.access_token ?? '', client_id: 'spa' })
    expect(answer.status).toBe(200)
    expect((await present(first.access_token)).status).toBe(401)
    expect((await present(second.access_token)).status).toBe(200)
    expect((await refresh(second.refresh_token)).status).toBe(200)
  })

  test("revoking a client's own token revokes it", async () => {
    const opened = await openServer()
    const { body } = await opened.post('/token', { grant_type: 'client_credentials' }, machine)
    expect(await introspect(opened, body.access_token, machine)).toMatchObject({ active: true })
    await opened.post('/revoke', { token: body.access_token ?? '' }, machine)
    expect(await introspect(opened, body.access_token, machine)).toEqual({ active: false })
  })

  test('revoking works with a wrong hint and with an unknown hint', async () => {
    for (const token_type_hint of ['access_token', 'refresh_token', 'saml']) {
      const { signIn, post, present } = await openServer()
      const { access_token, refresh_token } = await signIn('spa')
      await post('/revoke', { token: refresh_token ?? '', token_type_hint, client_id: 'spa' })
      expect((await present(access_token)).status).toBe(401)
    }
  })

  test('revoking a token of another client, or an invalid token, returns 200 without an effect', async () => {
    const { signIn, post, present, refresh, stored } = await openServer()
    const { access_token = '', refresh_token = '' } = await signIn('spa')
    const before = await stored()
    for (const token of [access_token, refresh_token, garbage(), 'rt_', 'a.b.c']) {
      expect(await post('/revoke', { token, client_id: 'other-spa' })).toMatchObject({ status: 200, body: {} })
    }
    expect(await stored()).toEqual(before)
    expect((await present(access_token)).status).toBe(200)
    expect((await refresh(refresh_token)).status).toBe(200)
  })

  test('revoking without a token is invalid_request, and without a client is refused', async () => {
    const { post } = await openServer()
    expect(await post('/revoke', { client_id: 'spa' })).toMatchObject({
      status: 400,
      body: { error: 'invalid_request' },
    })
    expect((await post('/revoke', { token: 'a' })).status).toBe(401)
  })
})

describe('introspecting', () => {
  test('introspection returns the claims of an own access token, and the expiry of an own refresh token', async () => {
    const opened = await openServer()
    const { access_token, refresh_token } = await opened.signIn('web', {}, webClient)
    const { iat, exp, jti } = claimsOf(access_token)
    const common = {
      active: true,
      iss: issuer,
      sub: 'acc_1',
      client_id: 'web',
      scope: 'openid offline_access articles:read',
    }
    expect(await introspect(opened, access_token)).toEqual({
      ...common,
      token_type: 'Bearer',
      aud: resource,
      iat,
      exp,
      jti,
    })
    expect(await introspect(opened, refresh_token)).toEqual({ ...common, iat, exp: Number(iat) + 2_592_000 })
  })

  test('introspection of a foreign, expired or invalid token says only that it is not active', async () => {
    const opened = await openServer()
    const { access_token, refresh_token, id_token } = await opened.signIn('web', {}, webClient)
    const code = await opened.giveCode('web')
    for (const token of [access_token, refresh_token]) {
      expect(await introspect(opened, token, other)).toEqual({ active: false })
      expect(await introspect(opened, token)).toMatchObject({ active: true })
    }
    for (const token of [id_token, code.code, garbage(), 'se_1', 'a.b.c']) {
      expect(await introspect(opened, token)).toEqual({ active: false })
    }
    opened.advance(905)
    expect(await introspect(opened, access_token)).toEqual({ active: false })
  })

  test('introspection of a replaced refresh token returns active as long as it can be repeated', async () => {
    const opened = await openServer()
    const first = await opened.signIn('web', {}, webClient)
    const { body: second } = await opened.refresh(first.refresh_token, { client_id: 'web' }, webClient)
    expect(await introspect(opened, first.refresh_token)).toMatchObject({ active: true })
    opened.advance(11)
    expect(await introspect(opened, first.refresh_token)).toEqual({ active: false })
    expect(await introspect(opened, second.refresh_token)).toMatchObject({ active: true })
    expect((await opened.refresh(second.refresh_token, { client_id: 'web' }, webClient)).status).toBe(200)
  })

  test('introspection is closed to clients without authentication', async () => {
    const { post, signIn } = await openServer()
    const { access_token = '' } = await signIn('spa')
    const refused = await post('/introspect', { token: access_token, client_id: 'spa' })
    expect(refused).toMatchObject({ status: 400, body: { error: 'unauthorized_client' } })
    expect(refused.body).not.toHaveProperty('active')
  })

  test('introspection without a token is invalid_request', async () => {
    const { post } = await openServer()
    expect(await post('/introspect', {}, webClient)).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test.each<[string, (opened: Opened) => unknown]>([
    ['the account has another epoch', ({ epochs }) => epochs.set('acc_1', 1)],
    ['the account is gone', ({ epochs }) => epochs.delete('acc_1')],
    ['the consent was withdrawn', ({ withdraw }) => withdraw('web')],
    ['all records of the account were removed', ({ records }) => records.removeByOwner('acc_1')],
  ])('introspection returns not active, and userinfo refuses the token, if %s', async (_what, end) => {
    const opened = await openServer()
    const { access_token, refresh_token } = await opened.signIn('web', {}, webClient)
    await end(opened)
    for (const token of [access_token, refresh_token])
      expect(await introspect(opened, token)).toEqual({ active: false })
    expect((await opened.present(access_token)).status).toBe(401)
  })
})

describe('/userinfo', () => {
  test.each([
    ['openid', {}],
    ['openid profile', { name: 'Ada Lovelace' }],
    ['openid email', { email: 'ada@example.com', email_verified: true }],
  ])('userinfo returns the claims of the scope %s', async (scope, claims) => {
    const { signIn, present } = await openServer()
    const { access_token } = await signIn('spa', { scopes: scope.split(' ') })
    const answer = await present(access_token)
    expect(answer).toMatchObject({ status: 200, body: { sub: 'acc_1' } })
    expect(answer.body).toEqual({ sub: 'acc_1', ...claims })
    expect(answer.headers.get('cache-control')).toBe('no-store')
  })

  test('userinfo answers a POST too', async () => {
    const { signIn, send } = await openServer()
    const { access_token } = await signIn()
    const headers = { authorization: `Bearer ${access_token}` }
    expect((await send('/userinfo', { method: 'POST', headers })).status).toBe(200)
  })

  test('userinfo refuses a token for another API', async () => {
    const { signIn, present } = await openServer()
    const { access_token } = await signIn('spa', { resources: [otherResource] })
    const refused = await present(access_token)
    expect(refused).toMatchObject({ status: 401, body: { error: 'invalid_token' } })
    expect(refused.headers.get('www-authenticate')).toContain('Bearer error="invalid_token"')
  })

  test('userinfo opens with a token for the first resource at any address', async () => {
    const { signIn, present } = await openServer({ options: { resources: [otherResource] } })
    expect((await present((await signIn()).access_token)).status).toBe(200)
  })

  test("userinfo is refused without openid and for a client's own token, with the missing scope", async () => {
    const { signIn, post, present } = await openServer()
    const { access_token } = await signIn('spa', { scopes: ['profile'] })
    const own = await post('/token', { grant_type: 'client_credentials' }, machine)
    for (const token of [access_token, own.body.access_token]) {
      const refused = await present(token)
      expect(refused).toMatchObject({ status: 403, body: { error: 'insufficient_scope' } })
      expect(refused.headers.get('www-authenticate')).toBe('Bearer error="insufficient_scope", scope="openid"')
    }
  })

  test.each<[string, Record<string, string>, string]>([
    ['no token', {}, 'Bearer, DPoP algs="ES256 EdDSA RS256 PS256"'],
    ['another scheme', { authorization: 'Basic YTpi' }, 'Bearer error="invalid_request", DPoP error="invalid_request"'],
    ['two tokens', { authorization: 'Bearer a, Bearer b' }, 'Bearer error="invalid_request", DPoP'],
    ['garbage', { authorization: 'Bearer abc' }, 'Bearer error="invalid_token", DPoP error="invalid_token"'],
  ])('userinfo refuses %s with a challenge', async (_what, headers, challenge) => {
    const { send } = await openServer()
    const refused = await send('/userinfo', { headers })
    expect(refused.status).toBe(401)
    expect(refused.headers.get('www-authenticate')).toContain(challenge)
    expect(refused.body).not.toHaveProperty('sub')
  })
})

describe('a token of another kind', () => {
  test('a token of another kind is refused as an access token', async () => {
    const { signIn, giveCode, present, keys, now } = await openServer()
    const { id_token, refresh_token, access_token } = await signIn()

    const own = createJwtSigner({ issuer, audience: resource, keys, now })
    const service = await own.sign(forged(claimsOf(access_token)))
    const elsewhere = createJwtSigner({ issuer, audience: 'https://evil.example/', keys, now, typ: 'at+jwt' })
    const foreign = await elsewhere.sign({ ...forged(claimsOf(access_token)) })
    const { code } = await giveCode()
    for (const token of [id_token, refresh_token, code, 'se_1', service.token, foreign.token]) {
      expect((await present(token)).status).toBe(401)
    }
  })

  test('a token of another kind is refused as a refresh token and as a code', async () => {
    const { signIn, giveCode, refresh, post } = await openServer()
    const { id_token, access_token, refresh_token = '' } = await signIn()
    const code = await giveCode()
    for (const token of [id_token, access_token, code.code, 'se_1']) {
      expect((await refresh(token)).body.error).toBe('invalid_grant')
    }
    for (const shown of [id_token, access_token, refresh_token]) {
      expect((await post('/token', { ...code, code: String(shown) })).body.error).toBe('invalid_grant')
    }
    expect((await post('/token', code)).status).toBe(200)
  })

  test('a token of another resource is refused at a resource that names itself', async () => {
    const { signIn, server } = await openServer()
    const { access_token } = await signIn('spa', { resources: [otherResource] })
    const request = {
      method: 'POST',
      target: '/graphql',
      headers: new Map([['authorization', `Bearer ${access_token}`]]),
    }
    const refused = await server.readAccessToken(request, { resource, challengeParameter: 'resource_metadata="x"' })
    expect(refused).toMatchObject({ ok: false, reason: 'token' })
    for (const challenge of refused.ok ? [''] : refused.challenges) expect(challenge).toContain('resource_metadata="x"')
    const accepted = await server.readAccessToken(request, { resource: otherResource })
    expect(accepted).toMatchObject({
      ok: true,
      token: { subject: 'acc_1', clientId: 'spa' },
      family: { subject: 'acc_1' },
    })
  })

  test.each<[string, object]>([
    ['of an account that names no family', { sid: undefined }],
    ['of a client that names a family', { sub: 'spa' }],
    ['without a client', { client_id: undefined }],
    ['of another client than its family', { client_id: 'other-spa' }],
    ['of another account than its family', { sub: 'acc_2' }],
    ['that is bound by a certificate', { cnf: { 'x5t#S256': 'a' } }],
    ['whose scope is a list', { scope: ['openid'] }],
  ])('a signed token %s is refused', async (_what, change) => {
    const { signIn, present, keys, now } = await openServer()
    const { access_token } = await signIn()

    const signer = createJwtSigner({ issuer, audience: resource, keys, typ: 'at+jwt', now })
    const same = await signer.sign(forged(claimsOf(access_token)))
    const changed = await signer.sign({ ...forged(claimsOf(access_token)), ...change } as { sub: string })
    expect((await present(same.token)).status).toBe(200)
    expect((await present(changed.token)).status).toBe(401)
  })
})

/** The claims of a token without those that a signer sets. */
function forged({
  iss: _iss,
  aud: _aud,
  exp: _exp,
  iat: _iat,
  jti: _jti,
  ...claims
}: object & Record<string, unknown>) {
  return claims as { sub: string }
}
