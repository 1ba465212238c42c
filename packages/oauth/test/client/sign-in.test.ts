import { isOAuthError } from '@latchkey/oauth'
import { createMemoryRecordStore, StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { createCookieJar, openClient, redirectUri } from './support/open-client.ts'

describe('a sign-in with a provider', () => {
  test('sends PKCE, state, nonce and scopes to the provider, and returns the user', async () => {
    const { begin, finish, provider, jar, now, events } = await openClient()
    const url = await begin({ returnTo: '/inbox?page=2', loginHint: 'ada', prompt: 'login', acrValues: ['two'] })
    expect(Object.fromEntries(new URL(url).searchParams)).toEqual({
      client_id: 'client',
      response_type: 'code',
      redirect_uri: redirectUri,
      scope: 'openid profile email',
      state: expect.stringMatching(/^[0-4]\.[\w-]{43}$/),
      nonce: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge: expect.stringMatching(/^[\w-]{43}$/),
      code_challenge_method: 'S256',
      login_hint: 'ada',
      prompt: 'login',
      acr_values: 'two',
    })
    provider.changes.claims = (claims) => ({ ...claims, amr: ['pwd', 'otp'], sid: 's1', auth_time: 1_789_999_990 })
    const verdict = await finish(provider.authorize(url))
    expect(verdict).toEqual({
      ok: true,
      provider: 'one',
      issuer: 'https://one.example',
      subject: 'ada',
      claims: expect.objectContaining({ sub: 'ada' }),
      email: 'ada@one.example',
      emailVerified: true,
      amr: ['pwd', 'otp'],
      sid: 's1',
      authenticatedAt: 1_789_999_990_000,
      tokens: {
        accessToken: expect.stringMatching(/^access-/),
        expiresAt: now() + 300_000,
        refreshToken: expect.stringMatching(/^refresh-/),
        idToken: expect.stringContaining('.'),
        scopes: null,
      },
      returnTo: '/inbox?page=2',
      binding: null,
      cookie: expect.stringMatching(/^__Host-oauth-[0-4]=; Max-Age=0; Path=\/; HttpOnly; Secure; SameSite=Lax$/),
    })
    expect(jar.cookies.size).toBe(0)
    expect(events.map(({ type }) => type)).toEqual(['callback.accepted'])
  })

  test('keeps its secrets from the address, the browser and the store', async () => {
    const { client, provider, records } = await openClient()
    const kept: string[] = []
    const { insert } = records
    records.insert = (record) => {
      kept.push(JSON.stringify(record))
      return insert(record)
    }
    const { url, cookie } = await client.begin({ returnTo: '/inbox' })
    expect(cookie).toMatch(/^__Host-oauth-[0-4]=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; Secure; SameSite=Lax$/)
    const callback = provider.authorize(url)
    expect(await client.finish(callback, cookie.split(';')[0] ?? '')).toMatchObject({ ok: true })
    const verifier = provider.asked.find(({ path }) => path === '/token')?.form.get('code_verifier') ?? 'none'
    const state = new URL(url).searchParams.get('state') ?? 'none'
    for (const secret of [verifier, state, callback.searchParams.get('code') ?? 'none']) {
      expect(kept.join()).not.toContain(secret)
    }
    expect(url).not.toContain(verifier)
    expect(cookie).not.toContain(state.slice(2))
    expect(kept).toHaveLength(1)
  })

  test.each([
    ['of another site', 'https://evil.example/'],
    ['of another host', '//evil.example'],
    ['with a backslash', '/\\evil.example'],
    ['with a line break', '/a\r\nSet-Cookie: a=b'],
    ['that is a script', 'javascript:alert(1)'],
    ['of more than 1024 characters', `/${'a'.repeat(1024)}`],
  ])('never returns to an address %s', async (_title, returnTo) => {
    const { client, provider } = await openClient()
    await expect(client.begin({ returnTo })).rejects.toMatchObject({ code: 'OAUTH_RETURN_TO_INVALID' })
    expect(provider.asked).toEqual([])
  })

  test('returns its binding in the verdict, and neither the URL nor the cookie shows it', async () => {
    const { client, provider } = await openClient()
    const binding = 'se_AAECAwQFBgcICQoLDA0ODw'
    const { url, cookie } = await client.begin({ binding })
    expect(`${url} ${cookie}`).not.toContain(binding)
    const callback = provider.authorize(url)
    expect(await client.finish(callback, cookie.split(';')[0] ?? '')).toMatchObject({ ok: true, binding })
  })

  test('a sign-in is bound to its own cookie, whatever other cookies the browser has', async () => {
    const opened = await openClient()
    const [first, second] = [await opened.begin({ binding: 'se_1' }), await opened.begin({ binding: 'se_2' })]
    const plain = await opened.begin()
    expect(await opened.finish(opened.provider.authorize(second))).toMatchObject({ ok: true, binding: 'se_2' })
    expect(await opened.finish(opened.provider.authorize(plain))).toMatchObject({ ok: true, binding: null })
    expect(await opened.finish(opened.provider.authorize(first))).toMatchObject({ ok: true, binding: 'se_1' })
  })

  test.each([
    ['no characters', ''],
    ['more than 96 characters', 'a'.repeat(97)],
    ['a space', 'se 1'],
    ['a line break', 'se_1\n'],
    ['a number', 7 as never],
  ])('with a binding of %s is refused', async (_title, binding) => {
    const { client, provider } = await openClient()
    await expect(client.begin({ binding })).rejects.toThrow('"binding" must be 1 to 96 letters')
    expect(provider.asked).toEqual([])
  })

  test('a sign-in expires after ten minutes', async () => {
    const opened = await openClient()
    const url = await opened.begin()
    opened.advance(599)
    const late = await opened.begin()
    expect(await opened.finish(opened.provider.authorize(url))).toMatchObject({ ok: true })
    opened.advance(600)
    expect(await opened.finish(opened.provider.authorize(late))).toMatchObject({ ok: false, reason: 'expired' })
    expect(opened.provider.count('/token')).toBe(1)
  })

  test('five tabs sign in at once, and a sixth tab replaces the oldest', async () => {
    const opened = await openClient()
    const urls: string[] = []
    for (let tab = 0; tab < 6; tab++) {
      urls.push(await opened.begin({ returnTo: `/tab/${tab}` }))
      opened.advance(1)
    }
    expect(opened.jar.cookies.size).toBe(5)
    const [oldest = '', ...others] = urls.map((url) => opened.provider.authorize(url))
    expect(await opened.finish(oldest)).toMatchObject({ ok: false, reason: 'state' })
    for (const [index, callback] of others.entries()) {
      expect(await opened.finish(callback)).toMatchObject({ ok: true, returnTo: `/tab/${index + 1}` })
    }
    expect(opened.jar.cookies.size).toBe(0)
  })

  test('sign-ins without the existing cookies use all five places', async () => {
    const { client } = await openClient()
    const begun = await Promise.all(Array.from({ length: 200 }, () => client.begin()))
    expect(new Set(begun.map(({ cookie }) => cookie.split('=')[0])).size).toBe(5)
  })

  test('fits into a cookie with the longest path, and five of them into the headers of a request', async () => {
    const opened = await openClient()
    for (let tab = 0; tab < 5; tab++) await opened.begin({ returnTo: `/${'"'.repeat(1023)}`, binding: 'b'.repeat(96) })
    expect(opened.jar.header()?.length).toBeLessThan(16_000)
  })

  test('a sign-in is used by one of fifty concurrent callbacks', async () => {
    const opened = await openClient()
    const callback = opened.provider.authorize(await opened.begin())
    const header = opened.jar.header()
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => opened.client.finish(callback, header)))
    expect(verdicts.filter(({ ok }) => ok)).toHaveLength(1)
    const reasons = verdicts.flatMap((verdict) => (verdict.ok ? [] : [verdict.reason]))
    expect(new Set(reasons)).toEqual(new Set(['used']))
    expect(opened.provider.count('/token')).toBe(1)
  })

  test('is an error while the store does not answer, and succeeds afterwards', async () => {
    const opened = await openClient()
    const callback = opened.provider.authorize(await opened.begin())
    const { insert } = opened.records
    opened.records.insert = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'the store is down'))
    await expect(opened.finish(callback)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(opened.provider.count('/token')).toBe(0)
    opened.records.insert = insert
    expect(await opened.finish(callback)).toMatchObject({ ok: true })
  })

  test('an id token without an address takes the address and its verification from userinfo', async () => {
    const opened = await openClient()
    opened.provider.changes.claims = ({ email: _none, ...claims }) => ({ ...claims, email_verified: true })
    opened.provider.changes.userinfo = () => ({ sub: 'ada', email: 'new@one.example', email_verified: false })
    expect(await opened.signIn()).toMatchObject({ ok: true, email: 'new@one.example', emailVerified: false })
  })

  test.each([
    ['states that it is not verified', { email_verified: false }],
    ['does not state it', { email_verified: undefined }],
    ['states it by a text', { email_verified: 'true' }],
  ])('a sign-in has no verified address if the provider %s', async (_title, change) => {
    const opened = await openClient()
    opened.provider.changes.claims = (claims) => ({ ...claims, ...change })
    expect(await opened.signIn()).toMatchObject({ ok: true, email: 'ada@one.example', emailVerified: false })
  })
})

describe('a callback', () => {
  const changed = (change: (url: URL) => void) => (url: URL) => {
    change(url)
    return url
  }
  test.each([
    ['without a state', 'state', changed((url) => url.searchParams.delete('state'))],
    [
      'with another state',
      'state',
      // At the same place among those of the browser.
      changed((url) => url.searchParams.set('state', `${url.searchParams.get('state')?.slice(0, 2)}${'A'.repeat(43)}`)),
    ],
    ['with two states', 'malformed', changed((url) => url.searchParams.append('state', 'x'))],
    ['with two codes', 'malformed', changed((url) => url.searchParams.append('code', 'x'))],
    ['with two issuers', 'malformed', changed((url) => url.searchParams.append('iss', 'https://one.example'))],
    ['with any parameter twice', 'malformed', (url: URL) => new URL(`${url}&a=1&a=2`)],
    ['without a code', 'malformed', changed((url) => url.searchParams.delete('code'))],
    ['with a code and an error', 'malformed', changed((url) => url.searchParams.set('error', 'access_denied'))],
    ['with an id token', 'malformed', changed((url) => url.searchParams.set('id_token', 'a.b.c'))],
    ['with an access token', 'malformed', changed((url) => url.searchParams.set('access_token', 'x'))],
    ['with a code of 20 KB', 'malformed', changed((url) => url.searchParams.set('code', 'x'.repeat(20_000)))],
    ['without the issuer that the provider promises', 'issuer', changed((url) => url.searchParams.delete('iss'))],
    ['of another issuer', 'issuer', changed((url) => url.searchParams.set('iss', 'https://two.example'))],
    [
      'of the issuer in another spelling',
      'issuer',
      changed((url) => url.searchParams.set('iss', 'https://one.example/')),
    ],
    ['at another path', 'redirect-uri', (url: URL) => new URL(`/sign-in/two/callback${url.search}`, url)],
  ] as const)('a callback %s is refused, redeems no code and stays unused', async (_title, reason, change) => {
    const opened = await openClient()
    const url = opened.provider.authorize(await opened.begin())
    const cookies = opened.jar.header()
    expect(await opened.finish(change(new URL(url)))).toMatchObject({ ok: false, reason })
    expect(opened.provider.count('/token')).toBe(0)
    expect(opened.events).toMatchObject([{ type: 'callback.refused', provider: 'one', reason, detail: null }])
    expect(await opened.client.finish(url, cookies)).toMatchObject({ ok: true })
  })

  test.each([
    ['no cookie', () => null],
    ['an empty cookie', (header: string) => header.replace(/=.*/, '=')],
    ['two equal cookies', (header: string) => `${header}; ${header}`],
    [
      'a cookie of another name',
      (header: string) => header.replace(/oauth-(\d)/, (_name, place) => `oauth-${(Number(place) + 1) % 5}`),
    ],
    ['a cookie with another time', (header: string) => header.replace(/=(\w+)\./, '=zzzzzzzz.')],
    ['a changed cookie', (header: string) => `${header.slice(0, -2)}AA`],
    ['a cookie without a time', (header: string) => header.replace(/=\w+\./, '=')],
  ])('a callback with %s is refused', async (_title, change) => {
    const opened = await openClient()
    const callback = opened.provider.authorize(await opened.begin())
    const header = opened.jar.header() ?? ''
    expect(await opened.client.finish(callback, change(header))).toMatchObject({
      ok: false,
      reason: 'state',
      cookie: null,
    })
    expect(await opened.client.finish(callback, header)).toMatchObject({ ok: true })
  })

  test('a callback is recognized by its path, whatever host a proxy has set', async () => {
    const opened = await openClient()
    const { pathname, search } = opened.provider.authorize(await opened.begin())
    expect(await opened.finish(`${pathname}${search}`)).toMatchObject({ ok: true })
  })

  test('needs the query of its redirect URI', async () => {
    const opened = await openClient({ redirectUri: `${redirectUri}?tenant=1` })
    const callback = opened.provider.authorize(await opened.begin())
    const other = new URL(callback)
    other.searchParams.set('tenant', '2')
    expect(await opened.finish(other)).toMatchObject({ ok: false, reason: 'redirect-uri' })
    expect(await opened.finish(callback)).toMatchObject({ ok: true })
  })

  test.each([
    ['access_denied', 'access_denied'],
    ['login_required', 'login_required'],
    ['server_error', 'server_error'],
    ['<script>', 'refused'],
    ['constructor', 'refused'],
  ])('a callback with the error %s is refused as %s, and the sign-in is over', async (error, reason) => {
    const opened = await openClient()
    const callback = opened.provider.authorize(await opened.begin({ returnTo: '/inbox' }), { code: null, error })
    const header = opened.jar.header()
    expect(await opened.finish(callback)).toMatchObject({ ok: false, reason, returnTo: '/inbox' })
    expect(opened.jar.cookies.size).toBe(0)
    expect(await opened.client.finish(callback, header)).toMatchObject({ ok: false, reason: 'used' })
    expect(opened.provider.count('/token')).toBe(0)
  })

  test('a callback with a refused code signs in no user', async () => {
    const opened = await openClient()
    const callback = opened.provider.authorize(await opened.begin(), { code: 'code-of-another' })
    expect(await opened.finish(callback)).toMatchObject({ ok: false, reason: 'code' })
    expect(opened.jar.cookies.size).toBe(0)
  })

  test("a callback of another client's sign-in is refused", async () => {
    const records = createMemoryRecordStore()
    const one = await openClient({ records })
    const two = await openClient({ records, clientId: 'other' })
    const callback = one.provider.authorize(await one.begin())
    expect(await two.client.finish(callback, one.jar.header())).toMatchObject({ ok: false, reason: 'state' })
    expect(await one.finish(callback)).toMatchObject({ ok: true })
  })

  test('a callback in another browser is refused', async () => {
    const opened = await openClient()
    const other = createCookieJar()
    // It has sign-ins of its own, at every place.
    for (let tab = 0; tab < 5; tab++) other.keep((await opened.client.begin({ cookieHeader: other.header() })).cookie)
    const callback = opened.provider.authorize(await opened.begin())
    expect(await opened.client.finish(callback, other.header())).toMatchObject({ ok: false, reason: 'state' })
  })
})

test('a refusal of the client itself by the provider is an error with a code and without a secret', async () => {
  const opened = await openClient()
  const callback = opened.provider.authorize(await opened.begin())
  opened.provider.changes.respond = ({ path }) =>
    path === '/token'
      ? new Response(JSON.stringify({ error: 'invalid_client', error_description: 'secret-of-client' }), {
          status: 401,
          headers: { 'www-authenticate': 'Basic realm="x"' },
        })
      : null
  const error: unknown = await opened.finish(callback).catch((thrown: unknown) => thrown)
  expect(error).toMatchObject({
    code: 'OAUTH_CLIENT_REJECTED',
    message: 'the provider refuses this client: invalid_client',
  })
  expect(isOAuthError(error)).toBe(true)
  expect(opened.events).toMatchObject([{ type: 'provider.failed', provider: 'one', failure: 'OAUTH_CLIENT_REJECTED' }])
})
