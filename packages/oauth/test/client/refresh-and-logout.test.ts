import type { TokenSet } from '@latchkey/oauth/client'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type OpenClient, openClient } from './support/open-client.ts'
import { createProviderKey } from './support/test-provider.ts'

type Members = Record<string, unknown>

const ada = { issuer: 'https://one.example', subject: 'ada' }

async function signedIn(opened: OpenClient) {
  const verdict = await opened.signIn()
  if (!verdict.ok) throw new Error('not signed in')
  return verdict.tokens
}

describe('a refresh', () => {
  test('a refresh of one token by fifty callers at once sends one request, and all callers get its answer', async () => {
    const opened = await openClient()
    const { refreshToken } = await signedIn(opened)
    const before = opened.provider.count('/token')
    const refresh = () => opened.client.refresh(refreshToken ?? '', ada)
    const verdicts = await Promise.all(Array.from({ length: 50 }, refresh))
    expect(opened.provider.count('/token')).toBe(before + 1)
    const given = verdicts.map((verdict) => verdict.ok && verdict.tokens.accessToken)
    expect(new Set(given).size).toBe(1)
    expect(given[0]).toMatch(/^access-/)
    expect(await refresh()).toEqual({ ok: false, reason: 'refused' })
  })

  test('concurrent refreshes of two tokens, or for two users, share no answer', async () => {
    const opened = await openClient()
    const [first, second] = [await signedIn(opened), await signedIn(opened)]
    const verdicts = await Promise.all([
      opened.client.refresh(first.refreshToken ?? '', ada),
      opened.client.refresh(second.refreshToken ?? '', ada),
    ])
    expect(verdicts).toMatchObject([{ ok: true }, { ok: true }])
    const third = await signedIn(opened)
    const mixed = await Promise.all([
      opened.client.refresh(third.refreshToken ?? '', { ...ada, subject: 'eve' }),
      opened.client.refresh(third.refreshToken ?? '', ada),
    ])
    expect(mixed[0]).toMatchObject({ ok: false })
  })

  test('a refresh without an id token renews tokens and returns no claims', async () => {
    const opened = await openClient()
    const { refreshToken } = await signedIn(opened)
    opened.provider.changes.idToken = () => undefined
    expect(await opened.client.refresh(refreshToken ?? '', ada)).toMatchObject({ ok: true, claims: null })
  })

  test('a refresh without a new refresh token returns null for it', async () => {
    const opened = await openClient()
    const { refreshToken } = await signedIn(opened)
    opened.provider.changes.answer = ({ refresh_token: _none, ...answer }) => answer
    expect(await opened.client.refresh(refreshToken ?? '', ada)).toMatchObject({
      ok: true,
      tokens: { refreshToken: null },
    })
  })

  test.each(['refresh_token', 'scope', 'expires_in', 'id_token'] as const)(
    'a refresh reads %s with the value null as omitted',
    async (name) => {
      const opened = await openClient()
      const { refreshToken } = await signedIn(opened)
      opened.provider.changes.answer = (answer) => ({ scope: 'openid', ...answer, [name]: null })
      const { ok, tokens } = (await opened.client.refresh(refreshToken ?? '', ada)) as { ok: true; tokens: TokenSet }
      expect(ok).toBe(true)
      const read = {
        refresh_token: tokens.refreshToken,
        scope: tokens.scopes,
        expires_in: tokens.expiresAt,
        id_token: tokens.idToken,
      }
      expect(read).toMatchObject({ [name]: null })
      expect(Object.values(read).filter((value) => value === null)).toHaveLength(1)
    },
  )

  test('a refresh with tokens and error: null succeeds, and an error that is no text is an invalid answer', async () => {
    const opened = await openClient()
    const { refreshToken } = await signedIn(opened)
    opened.provider.changes.answer = (answer) => ({ ...answer, error: null })
    const renewed = await opened.client.refresh(refreshToken ?? '', ada)
    expect(renewed).toMatchObject({ ok: true })
    opened.provider.changes.answer = (answer) => ({ ...answer, error: false })
    const again = opened.client.refresh((renewed.ok && renewed.tokens.refreshToken) || '', ada)
    await expect(again).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_INVALID' })
  })

  test('a refresh at an unreachable provider is an error for all callers, and the next caller tries again', async () => {
    const opened = await openClient()
    const { refreshToken } = await signedIn(opened)
    const { changes } = opened.provider
    changes.respond = ({ path }) => (path === '/token' ? new Response(null, { status: 503 }) : null)
    const refresh = () => opened.client.refresh(refreshToken ?? '', ada)
    const outcomes = await Promise.allSettled([refresh(), refresh()])
    expect(outcomes).toMatchObject([
      { status: 'rejected', reason: { code: 'OAUTH_PROVIDER_UNAVAILABLE' } },
      { status: 'rejected', reason: { code: 'OAUTH_PROVIDER_UNAVAILABLE' } },
    ])
    delete changes.respond
    expect(await refresh()).toMatchObject({ ok: true })
  })
})

describe('userinfo', () => {
  test('userinfo is read with the token in the header, and refused for another user', async () => {
    const opened = await openClient()
    const { accessToken } = await signedIn(opened)
    expect(await opened.client.userinfo(accessToken, { subject: 'ada' })).toMatchObject({
      ok: true,
      claims: { name: 'Ada' },
    })
    expect(await opened.client.userinfo(accessToken, { subject: 'eve' })).toEqual({ ok: false, reason: 'subject' })
    expect(opened.provider.asked.at(-1)).toMatchObject({
      method: 'GET',
      path: '/userinfo',
      authorization: `Bearer ${accessToken}`,
    })
  })

  test.each([
    ['with a challenge', { 'www-authenticate': 'Bearer error="invalid_token"' }],
    ['without a challenge', {}],
  ])('userinfo of a revoked token is refused %s', async (_title, headers) => {
    const opened = await openClient()
    opened.provider.changes.respond = ({ path }) =>
      path === '/userinfo' ? new Response(null, { status: 401, headers: new Headers(headers) }) : null
    expect(await opened.client.userinfo('access', { subject: 'ada' })).toEqual({ ok: false, reason: 'token' })
  })
})

describe('a token', () => {
  test('is revoked at the provider', async () => {
    const opened = await openClient()
    const { refreshToken } = await signedIn(opened)
    expect(await opened.client.revoke(refreshToken ?? '')).toBe(true)
    expect(await opened.client.refresh(refreshToken ?? '', ada)).toEqual({ ok: false, reason: 'refused' })
  })

  test('a token that the provider does not revoke is an error', async () => {
    const opened = await openClient()
    opened.provider.changes.respond = ({ path }) =>
      path === '/revoke' ? new Response('{"error":"unsupported_token_type"}', { status: 400 }) : null
    await expect(opened.client.revoke('token')).rejects.toMatchObject({ code: 'OAUTH_CLIENT_REJECTED' })
  })

  test('a token is not revoked at a provider without revocation, and the result is false', async () => {
    const opened = await openClient()
    opened.provider.changes.discovery = ({ revocation_endpoint: _none, ...found }) => found
    expect(await opened.client.revoke('token')).toBe(false)
  })
})

describe('logout at the provider', () => {
  test('logout has a URL with the client, the id token, the redirect and the state', async () => {
    const { client } = await openClient()
    const input = { idToken: 'a.b.c', postLogoutRedirectUri: 'https://app.example/', state: 'bye' }
    const url = new URL((await client.logoutUrl(input)) ?? '')
    expect(`${url.origin}${url.pathname}`).toBe('https://one.example/logout')
    expect(Object.fromEntries(url.searchParams)).toEqual({
      client_id: 'client',
      id_token_hint: 'a.b.c',
      post_logout_redirect_uri: 'https://app.example/',
      state: 'bye',
    })
  })

  test('logout has no URL if the provider offers no logout', async () => {
    const { client, provider } = await openClient()
    provider.changes.discovery = ({ end_session_endpoint: _none, ...found }) => found
    expect(await client.logoutUrl({ idToken: null })).toBeNull()
  })
})

type Refused = readonly [title: string, reason: string, changes: Members, header?: Members]

/** Named as the modules of oidcc-client-back-channel-logout-rp-basic where there is one. */
describe('a logout token', () => {
  const event = 'http://schemas.openid.net/event/backchannel-logout'
  const issue = async (opened: OpenClient, changes: Members = {}, header: Members = {}) => {
    const iat = Math.floor(opened.now() / 1000)
    const right = { iss: 'https://one.example', aud: 'client', iat, exp: iat + 120, jti: 'j1', sid: 's1', sub: 'ada' }
    const claims = { ...right, events: { [event]: {} }, ...changes }
    return opened.provider.sign(JSON.parse(JSON.stringify(claims)), { typ: 'logout+jwt', ...header })
  }

  test('a logout token names the revoked session: oidcc-client-test-rp-backchannel-rpinitlogout', async () => {
    const opened = await openClient()
    expect(await opened.client.verifyLogoutToken(await issue(opened))).toEqual({
      ok: true,
      provider: 'one',
      issuer: 'https://one.example',
      subject: 'ada',
      sid: 's1',
    })
    expect(opened.events).toMatchObject([{ type: 'logout.accepted', provider: 'one' }])
  })

  test.each([
    ['sid', { sub: undefined }, { subject: null, sid: 's1' }],
    ['sub', { sid: undefined }, { subject: 'ada', sid: null }],
  ])('may have %s alone', async (_name, change, expected) => {
    const opened = await openClient()
    expect(await opened.client.verifyLogoutToken(await issue(opened, change))).toMatchObject({ ok: true, ...expected })
  })

  const refused: readonly Refused[] = [
    ['of another issuer: …-rpinitlogout-wrong-iss', 'issuer', { iss: 'https://two.example' }],
    ['for another client: …-rpinitlogout-wrong-aud', 'audience', { aud: 'other' }],
    ['for no client', 'audience', { aud: undefined }],
    ['that has expired', 'expired', { exp: 1_789_999_970 }],
    ['without an expiry', 'claims', { exp: undefined }],
    ['with a lifetime of a day', 'not-yet-valid', { exp: 1_790_086_400 }],
    ['of the future', 'not-yet-valid', { iat: 1_790_000_031 }],
    ['without a time of issue', 'claims', { iat: undefined }],
    ['without an id', 'claims', { jti: undefined }],
    ['whose id is a number', 'claims', { jti: 7 }],
    ['of no session and no user', 'claims', { sid: undefined, sub: undefined }],
    ['of a session that is a number', 'claims', { sid: 7 }],
    ['without an event: …-rpinitlogout-no-event', 'event', { events: undefined }],
    [
      'of another event: …-rpinitlogout-wrong-event',
      'event',
      { events: { 'http://schemas.openid.net/event/other': {} } },
    ],
    ['whose event is a text', 'event', { events: { [event]: '' } }],
    ['with a nonce: …-rpinitlogout-with-nonce', 'nonce', { nonce: 'n' }],
    ['with a nonce that is null', 'nonce', { nonce: null }],
    ['of the type of id tokens', 'type', {}, { typ: 'JWT' }],
    ['of no type', 'type', {}, { typ: undefined }],
  ]

  test.each(refused.map(([title, reason, changes, header = {}]) => [title, reason, changes, header] as const))(
    '%s is refused, and is not used up',
    async (_title, reason, changes, header) => {
      const opened = await openClient()
      const token = await issue(opened, changes, header)
      expect(await opened.client.verifyLogoutToken(token)).toEqual({ ok: false, reason })
      expect(opened.events).toMatchObject([{ type: 'logout.refused', provider: 'one', reason }])
      expect(await opened.client.verifyLogoutToken(await issue(opened))).toMatchObject({ ok: true })
    },
  )

  test.each([
    ['that is missing', 'malformed', null],
    ['that is another text', 'malformed', 'token'],
    [
      'without a signature: …-rpinitlogout-alg-none',
      'algorithm',
      `${btoa('{"alg":"none","typ":"logout+jwt"}').replace(/=+$/, '')}.e30.`,
    ],
  ])('%s is refused', async (_title, reason, token) => {
    const opened = await openClient()
    expect(await opened.client.verifyLogoutToken(token)).toEqual({ ok: false, reason })
    expect(opened.provider.count('/jwks')).toBe(0)
  })

  test('a logout token of another key, or with another algorithm, is refused: …-rpinitlogout-wrong-alg', async () => {
    const opened = await openClient()
    const [published] = opened.provider.keys
    opened.provider.changes.jwks = () => (published ? [published.published] : [])
    opened.provider.keys = [await createProviderKey('ES384')]
    expect(await opened.client.verifyLogoutToken(await issue(opened))).toEqual({ ok: false, reason: 'algorithm' })
    opened.provider.keys = [await createProviderKey('ES256')]
    expect(await opened.client.verifyLogoutToken(await issue(opened))).toEqual({ ok: false, reason: 'key' })
  })

  test('a logout token of more than 16 KB is refused, because strangers can post it', async () => {
    const opened = await openClient()
    const token = await issue(opened, { roles: 'r'.repeat(16_384) })
    expect(await opened.client.verifyLogoutToken(token)).toEqual({ ok: false, reason: 'malformed' })
    expect(opened.provider.count('/jwks')).toBe(0)
  })

  test('is accepted once of fifty concurrent calls, and refused as used until it expires', async () => {
    const opened = await openClient()
    const token = await issue(opened)
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => opened.client.verifyLogoutToken(token)))
    expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
    expect(verdicts.filter((verdict) => !verdict.ok && verdict.reason === 'used')).toHaveLength(49)
    opened.advance(149)
    expect(await opened.client.verifyLogoutToken(token)).toEqual({ ok: false, reason: 'used' })
    opened.advance(1)
    expect(await opened.client.verifyLogoutToken(token)).toEqual({ ok: false, reason: 'expired' })
  })

  test('a logout token is used up after its session was revoked, and not before', async () => {
    const opened = await openClient()
    const token = await issue(opened)
    const outage = new StoreError('STORE_UNAVAILABLE', 'the store is down')
    await expect(opened.client.verifyLogoutToken(token, () => Promise.reject(outage))).rejects.toBe(outage)
    expect(opened.events).toEqual([])
    const ended: unknown[] = []
    const end = async (logout: unknown) => ended.push(logout)
    const verdict = await opened.client.verifyLogoutToken(token, end)
    expect(verdict).toMatchObject({ ok: true, subject: 'ada', sid: 's1' })
    expect(await opened.client.verifyLogoutToken(token, end)).toEqual({ ok: false, reason: 'used' })
    expect(await opened.client.verifyLogoutToken(await issue(opened, { aud: 'other' }), end)).toMatchObject({
      ok: false,
    })
    expect(ended).toEqual([verdict])
  })

  test('is an error while the store or the provider does not answer, and is accepted afterwards', async () => {
    const opened = await openClient()
    const token = await issue(opened)
    opened.provider.changes.respond = () => new Response(null, { status: 500 })
    await expect(opened.client.verifyLogoutToken(token)).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_UNAVAILABLE' })
    opened.provider.changes = {}
    opened.advance(31)
    const { insert } = opened.records
    opened.records.insert = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'the store is down'))
    await expect(opened.client.verifyLogoutToken(token)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    opened.records.insert = insert
    expect(await opened.client.verifyLogoutToken(token)).toMatchObject({ ok: true })
  })

  test('an id token is refused as a logout token', async () => {
    const opened = await openClient()
    const { idToken } = await signedIn(opened)
    expect(await opened.client.verifyLogoutToken(idToken)).toEqual({ ok: false, reason: 'type' })
  })
})
