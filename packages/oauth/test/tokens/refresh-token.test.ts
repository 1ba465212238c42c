import { describe, expect, test } from 'vitest'
import { claimsOf, openServer, otherResource, resource, webClient } from './open-server.ts'

describe('a refresh token', () => {
  test('a refresh token returns a successor and new tokens, whose id token has the time of the sign-in and no nonce', async () => {
    const { signIn, refresh, present, advance } = await openServer()
    const first = await signIn()
    advance(60)
    const { status, body } = await refresh(first.refresh_token)
    expect(status).toBe(200)
    expect(body.refresh_token).not.toBe(first.refresh_token)
    expect(body).toMatchObject({ token_type: 'Bearer', expires_in: 900, scope: first.scope })
    const [before, after] = [claimsOf(first.id_token), claimsOf(body.id_token)]
    for (const name of ['iss', 'sub', 'aud', 'auth_time', 'amr', 'acr']) expect(after[name]).toEqual(before[name])
    expect(after).not.toHaveProperty('nonce')
    expect(Number(after.iat)).toBe(Number(before.iat) + 60)
    expect((await present(body.access_token)).status).toBe(200)
  })

  test('a refresh token returns id tokens of its own sign-in, whatever was proven since', async () => {
    const { signIn, refresh, refreshTokens, stored, advance, now } = await openServer()
    const first = await signIn()
    advance(3600)
    const [record] = (await stored()).filter(({ key }) => key.startsWith('rt_'))
    const family = await refreshTokens.read(record?.key ?? '')
    if (!family) throw new Error('no family')
    await refreshTokens.renew(family, { epoch: 0, factors: [{ kind: 'totp', at: now(), category: 'have' }] })
    const { body } = await refresh(first.refresh_token)
    const signedInAt = claimsOf(first.id_token).auth_time
    expect(signedInAt).toBe(Math.floor((now() - 3_660_000) / 1000))
    expect(claimsOf(body.id_token).auth_time).toBe(signedInAt)
    expect(claimsOf(body.access_token).auth_time).toBe(signedInAt)
    advance(60)
    expect(claimsOf((await refresh(body.refresh_token)).body.id_token).auth_time).toBe(signedInAt)
  })

  test('a refresh token returns the same successor for ten seconds, and later revokes all', async () => {
    const { signIn, refresh, present, advance } = await openServer()
    const first = await signIn()
    const second = await refresh(first.refresh_token)
    advance(9.999)
    const repeated = await refresh(first.refresh_token)
    expect(repeated.body.refresh_token).toBe(second.body.refresh_token)
    advance(0.001)
    expect((await refresh(first.refresh_token)).body.error).toBe('invalid_grant')
    expect((await refresh(second.body.refresh_token)).body.error).toBe('invalid_grant')
    expect((await present(second.body.access_token)).status).toBe(401)
  })

  test.each([
    ['the newest', 0],
    ['the one before', 1],
    ['an older one', 2],
  ])('a refresh token %s from another client changes no data', async (_which, uses) => {
    const { signIn, refresh, stored } = await openServer()
    const first = await signIn()
    let newest = first.refresh_token
    for (let used = 0; used < uses; used++) newest = (await refresh(newest)).body.refresh_token
    const before = await stored()
    for (const form of [{}, { scope: 'everything' }]) {
      const refused = await refresh(first.refresh_token, { client_id: 'other-spa', ...form })
      expect(refused).toMatchObject({ status: 400, body: { error: 'invalid_grant' } })
    }
    expect(await stored()).toEqual(before)
    expect((await refresh(newest)).status).toBe(200)
  })

  test('a refresh may request fewer scopes for an access token, and the next refresh may request all', async () => {
    const { signIn, refresh } = await openServer()
    const first = await signIn()
    const less = await refresh(first.refresh_token, { scope: ' articles:read  ' })
    expect(less.body.scope).toBe('articles:read')
    expect(claimsOf(less.body.access_token).scope).toBe('articles:read')
    expect(less.body).not.toHaveProperty('id_token')
    expect((await refresh(less.body.refresh_token)).body.scope).toBe(first.scope)
  })

  test.each<[string, Record<string, string>, string]>([
    ['more than was allowed', { scope: 'openid articles:create' }, 'invalid_scope'],
    ['an unknown scope', { scope: 'everything' }, 'invalid_scope'],
    ['no list of scopes', { scope: 'openid\tarticles:read' }, 'invalid_scope'],
    ['another resource', { resource: otherResource }, 'invalid_target'],
  ])('asked for %s is refused and stays unused', async (_what, form, error) => {
    const { signIn, refresh, stored } = await openServer()
    const { refresh_token } = await signIn()
    const before = await stored()
    expect(await refresh(refresh_token, form)).toMatchObject({ status: 400, body: { error } })
    expect(await stored()).toEqual(before)
    expect((await refresh(refresh_token)).status).toBe(200)
  })

  test('gives tokens for the resources of the consent only', async () => {
    const { signIn, refresh } = await openServer()
    const { refresh_token } = await signIn('spa', { resources: [otherResource] })
    const refreshed = await refresh(refresh_token)
    expect(claimsOf(refreshed.body.access_token).aud).toBe(otherResource)
    expect((await refresh(refreshed.body.refresh_token, { resource })).body.error).toBe('invalid_target')
  })

  test('that is missing is invalid_request', async () => {
    const { post } = await openServer()
    const answer = await post('/token', { grant_type: 'refresh_token', client_id: 'spa' })
    expect(answer).toMatchObject({ status: 400, body: { error: 'invalid_request' } })
  })

  test('a refresh token of a client with a secret needs the secret', async () => {
    const { signIn, refresh } = await openServer()
    const { refresh_token } = await signIn('web', {}, webClient)
    expect(await refresh(refresh_token, { client_id: 'web' })).toMatchObject({ status: 401 })
    expect((await refresh(refresh_token, { client_id: 'web' }, webClient)).status).toBe(200)
  })

  test('a refresh token of a family without offline_access is refused', async () => {
    const { refreshTokens, consent, refresh } = await openServer()
    const given = { subject: 'acc_1', clientId: 'spa', channel: 'oauth', factors: [], grant: await consent('spa') }
    const { token, family } = await refreshTokens.issue({ ...given, scopes: ['openid'] })
    expect((await refresh(token)).body.error).toBe('invalid_grant')
    expect(await refreshTokens.read(family.key)).not.toBeNull()
  })
})

describe('the end of a session, account or consent, for a refresh token', () => {
  test('a refresh token grants no token after its session was revoked, its account deleted or its consent withdrawn, and its access tokens are refused', async () => {
    const ended: readonly ((opened: Awaited<ReturnType<typeof openServer>>) => unknown)[] = [
      ({ epochs }) => epochs.set('acc_1', 1),
      ({ epochs }) => epochs.delete('acc_1'),
      ({ withdraw }) => withdraw('spa'),
      ({ records }) => records.removeByOwner('acc_1'),
    ]
    for (const end of ended) {
      const opened = await openServer()
      const { refresh_token, access_token } = await opened.signIn()
      await end(opened)
      expect((await opened.refresh(refresh_token)).body).toMatchObject({ error: 'invalid_grant' })
      expect((await opened.present(access_token)).status).toBe(401)
    }
  })

  test('a refresh token of a withdrawn consent grants no token after a new consent of the same account', async () => {
    const { signIn, refresh, present, withdraw, consent } = await openServer()
    const { refresh_token, access_token } = await signIn()
    await withdraw('spa')
    await consent('spa')
    expect((await refresh(refresh_token)).body.error).toBe('invalid_grant')
    expect((await present(access_token)).status).toBe(401)
  })
})
