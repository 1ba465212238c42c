import { createMemoryRecordStore, StoreError } from '@latchkey/store'
import { decodeJwt } from 'jose'
import { describe, expect, test } from 'vitest'
import {
  authorizeTarget,
  type Browser,
  callback,
  createProvider,
  decideAt,
  issuer,
  type Provider,
  pair,
  spa,
  web,
} from './support/provider.ts'

const home = 'https://spa.example.com/'

/** Clears the cookie of the application's session. */
async function setUp(changes = {}) {
  const ended: string[] = []
  const provider = await createProvider({
    signOut: (_request, { key }) => {
      ended.push(key)
      return [['Set-Cookie', 'session=; Max-Age=0; Path=/']]
    },
    ...changes,
  })
  const browser = provider.openBrowser()
  const session = browser.signIn()
  return { provider, browser, session, ended }
}

/** Signs in at the client `spa`, and returns the tokens. */
async function signInAtClient(provider: Provider, browser: Browser, scope = 'openid articles:read') {
  return redeem(browser, await giveCode(provider, browser, scope))
}

async function giveCode(provider: Provider, browser: Browser, scope = 'openid articles:read'): Promise<string> {
  const asked = await browser.get(authorizeTarget({ scope, prompt: 'consent' }))
  return (await decideAt(provider, browser, asked)).searchParams.get('code') ?? ''
}

async function redeem(browser: Browser, code: string) {
  const form = { grant_type: 'authorization_code', client_id: 'spa', code, code_verifier: pair.verifier }
  const response = await browser.post('/token', { ...form, redirect_uri: callback })
  return (await response.json()) as { id_token: string; access_token: string; refresh_token?: string }
}

const television = {
  id: 'tv',
  name: 'Television',
  authentication: ['none'],
  grantTypes: ['urn:ietf:params:oauth:grant-type:device_code'],
  scopes: ['openid', 'articles:read'],
} as const

const target = (sent: Readonly<Record<string, string>>) => `/end-session?${new URLSearchParams(sent)}`

const fieldsOf = (html: string) =>
  Object.fromEntries(
    [...html.matchAll(/name="([^"]+)" value="([^"]*)"/g)].map(([, name = '', value = '']) => [name, value]),
  )

describe('logout with an id token of the browser’s session', () => {
  test('a logout with an id token revokes the session at once, and its tokens without offline_access', async () => {
    const { provider, browser, session, ended } = await setUp()
    const { id_token, access_token } = await signInAtClient(provider, browser)
    const userinfo = () => browser.get('/userinfo', { authorization: `Bearer ${access_token}` })
    expect((await userinfo()).status).toBe(200)
    const sent = { id_token_hint: id_token, post_logout_redirect_uri: home, state: 'bye' }
    const response = await browser.get(target(sent))
    expect([response.status, response.headers.get('location')]).toEqual([303, `${home}?state=bye`])
    expect(ended).toEqual([session.key])
    expect(browser.cookies.has('session')).toBe(false)
    expect((await userinfo()).status).toBe(401)
  })

  test('a logout accepts an id token of a refresh, which names the same session', async () => {
    const { provider, browser, session, ended } = await setUp()
    const { refresh_token = '', id_token } = await signInAtClient(provider, browser, 'openid offline_access')
    const form = { grant_type: 'refresh_token', client_id: 'spa', refresh_token }
    const refreshed = (await (await browser.post('/token', form)).json()) as { id_token: string; refresh_token: string }
    const again = await browser.post('/token', { ...form, refresh_token: refreshed.refresh_token })
    const { id_token: latest } = (await again.json()) as { id_token: string }
    expect([id_token, refreshed.id_token, latest].map((token) => decodeJwt(token).sid)).toEqual(
      Array(3).fill(session.key),
    )
    expect((await browser.get(target({ id_token_hint: latest }))).status).toBe(200)
    expect(ended).toEqual([session.key])
  })

  test('a logout with other parameters ignores handle, and an unknown handle alone is refused', async () => {
    const { provider, browser, session, ended } = await setUp()
    const { id_token } = await signInAtClient(provider, browser)
    const response = await browser.get(`${target({ id_token_hint: id_token })}&handle=of-the-client`)
    expect([response.status, ended]).toEqual([200, [session.key]])
    expect((await browser.get('/end-session?handle=of-the-client')).status).toBe(400)
  })

  test("a logout revokes the session's unused codes", async () => {
    const { provider, browser } = await setUp()
    const { id_token } = await signInAtClient(provider, browser)
    const [online, offline] = [
      await giveCode(provider, browser),
      await giveCode(provider, browser, 'openid offline_access'),
    ]
    await browser.get(target({ id_token_hint: id_token }))
    expect(await redeem(browser, online)).toMatchObject({ error: 'invalid_grant' })
    expect(await redeem(browser, offline)).toMatchObject({ token_type: 'Bearer' })
  })

  test('a logout revokes the consent of a device that has not polled again', async () => {
    const { provider, browser } = await setUp({ fixedClients: [spa, television] })
    const { id_token } = await signInAtClient(provider, browser)
    const asked = { client_id: 'tv', scope: 'openid articles:read' }
    const { device_code, user_code } = await (await browser.post('/device_authorization', asked)).json()
    const shown = await provider.server.readDevice(browser.request('/device'), user_code)
    const token = shown.ok ? shown.token : null
    await provider.server.decideDevice(browser.request('/device'), { userCode: user_code, token, decision: 'allow' })
    await browser.get(target({ id_token_hint: id_token }))
    const poll = { grant_type: television.grantTypes[0], client_id: 'tv', device_code }
    expect(await (await browser.post('/token', poll)).json()).toMatchObject({ error: 'expired_token' })
  })

  test('a logout with a failing store keeps the session, and can be repeated', async () => {
    let isDown = false
    const records = createMemoryRecordStore({ now: () => 1_790_000_000_000 })
    const failing = {
      ...records,
      listByOwner: (...given: Parameters<typeof records.listByOwner>) =>
        isDown ? Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) : records.listByOwner(...given),
    }
    const { provider, browser, ended } = await setUp({ records: failing })
    const { id_token, access_token } = await signInAtClient(provider, browser)
    isDown = true
    expect((await browser.get(target({ id_token_hint: id_token }))).status).toBe(503)
    expect(ended).toEqual([])
    isDown = false
    expect((await browser.get(target({ id_token_hint: id_token }))).status).toBe(200)
    expect(ended).toHaveLength(1)
    expect((await browser.get('/userinfo', { authorization: `Bearer ${access_token}` })).status).toBe(401)
  })

  test('a logout does not revoke tokens with offline_access', async () => {
    const { provider, browser } = await setUp()
    const { id_token, access_token } = await signInAtClient(provider, browser, 'openid offline_access')
    await browser.get(target({ id_token_hint: id_token }))
    expect((await browser.get('/userinfo', { authorization: `Bearer ${access_token}` })).status).toBe(200)
  })

  test('a logout accepts an expired id token', async () => {
    const { provider, browser, ended } = await setUp()
    const { id_token } = await signInAtClient(provider, browser)
    provider.advance(86_400)
    expect((await browser.get(target({ id_token_hint: id_token }))).status).toBe(200)
    expect(ended).toHaveLength(1)
  })
})

describe('another logout', () => {
  test('a logout without a hint asks first, and its form revokes the session', async () => {
    const { browser, ended } = await setUp()
    const asked = await browser.get(target({ client_id: 'spa', post_logout_redirect_uri: home, state: 'bye' }))
    const html = await asked.text()
    expect(asked.status).toBe(200)
    expect(html).toContain('Reader')
    expect(asked.headers.get('content-security-policy')).toContain("form-action 'self' https://spa.example.com")
    expect(ended).toEqual([])
    const confirmed = await browser.post('/end-session', fieldsOf(html))
    expect([confirmed.status, confirmed.headers.get('location')]).toEqual([303, `${home}?state=bye`])
    expect(ended).toHaveLength(1)
  })

  test('a logout with an id token of another session, another account or another server asks first', async () => {
    const { provider, browser, ended } = await setUp()
    const { id_token, access_token } = await signInAtClient(provider, browser)
    browser.signIn()
    for (const hint of [id_token, access_token, `${id_token}x`, 'evil', 'eyJhbGciOiJub25lIn0.eyJpYXQiOjF9.']) {
      const response = await browser.get(target({ id_token_hint: hint }))
      expect([response.status, await response.text()]).toEqual([200, expect.stringContaining('Sign out?')])
    }
    const { key } = browser.signIn('acc_eve')
    const claims = JSON.stringify({
      iss: issuer,
      sub: 'acc_eve',
      aud: 'spa',
      sid: key,
      iat: 1_790_000_000,
      exp: 1_790_000_900,
    })
    const [header, , signature] = id_token.split('.')
    const forged = [header, btoa(claims).replaceAll('=', ''), signature].join('.')
    for (const hint of [id_token, forged]) {
      expect(await (await browser.get(target({ id_token_hint: hint }))).text()).toContain('Sign out?')
    }
    expect(ended).toEqual([])
  })

  test('a logout form with a token for another session asks again', async () => {
    const { browser, ended } = await setUp()
    const fields = fieldsOf(await (await browser.get(target({}))).text())
    browser.signIn()
    const response = await browser.post('/end-session', fields)
    expect(await response.text()).toContain('Sign out?')
    expect(ended).toEqual([])
  })

  test('a logout with an id token that another site posts revokes the session once the browser sends its cookie', async () => {
    const { provider, browser, ended } = await setUp()
    const { id_token } = await signInAtClient(provider, browser)
    const cookie = browser.cookies.get('session') ?? ''
    browser.signOut()
    const posted = await browser.post('/end-session', { id_token_hint: id_token })
    expect([posted.status, ended]).toEqual([303, []])
    browser.cookies.set('session', cookie)
    await browser.get(posted.headers.get('location') ?? '')
    expect(ended).toHaveLength(1)
  })

  test('a logout asks on the page of the application if it has one', async () => {
    const { browser } = await setUp({
      logoutPage: (page: { step: string }) => ({ status: 200, headers: [], body: page.step }),
    })
    expect(await (await browser.get(target({}))).text()).toBe('ask')
    browser.signOut()
    expect(await (await browser.get(target({}))).text()).toBe('done')
  })
})

describe('an unregistered redirect of a logout shows a page, and the session stays', () => {
  test.each([
    ['of no client', { post_logout_redirect_uri: home }],
    ['longer', { client_id: 'spa', post_logout_redirect_uri: `${home}evil` }],
    ['of another host', { client_id: 'spa', post_logout_redirect_uri: 'https://evil.example/' }],
    ['of another client', { client_id: web.id, post_logout_redirect_uri: home }],
    ['of an unknown client', { client_id: 'evil', post_logout_redirect_uri: home }],
    ['a callback', { client_id: 'spa', post_logout_redirect_uri: 'https://spa.example.com/callback' }],
  ])('%s', async (_title, sent) => {
    const { browser, ended } = await setUp()
    for (const isSignedIn of [true, false]) {
      if (!isSignedIn) browser.signOut()
      const response = await browser.get(target(sent as Record<string, string>))
      expect([response.status, response.headers.get('location')]).toEqual([400, null])
      expect(await response.text()).not.toContain('evil')
    }
    expect(ended).toEqual([])
  })

  test('a redirect that is sent twice, or with an id token of another client, shows a page', async () => {
    const { provider, browser, ended } = await setUp()
    const { id_token } = await signInAtClient(provider, browser)
    const twice = `${target({ client_id: 'spa', post_logout_redirect_uri: home })}&post_logout_redirect_uri=x`
    for (const asked of [twice, target({ id_token_hint: id_token, client_id: 'web' })]) {
      expect((await browser.get(asked)).status).toBe(400)
    }
    expect(ended).toEqual([])
  })
})

describe('an id token as a hint at the authorization endpoint', () => {
  test('an id token hint asks for the sign-in of its account only', async () => {
    const { provider, browser } = await setUp({ consent: () => 'granted' as const })
    browser.signIn()
    const { id_token } = await signInAtClient(provider, browser)
    const asked = authorizeTarget({ id_token_hint: id_token })
    expect((await browser.get(asked)).headers.get('location')).toContain('code=')
    browser.signIn('acc_eve')
    const none = await browser.get(authorizeTarget({ id_token_hint: id_token, prompt: 'none' }))
    expect(none.headers.get('location')).toContain('error=login_required')
    const signInPage = new URL((await browser.get(asked)).headers.get('location') ?? '', 'https://id.example.com')
    expect(signInPage.pathname).toBe('/sign-in')
    provider.advance(1)
    browser.signIn('acc_eve')
    const resumed = await browser.get(signInPage.searchParams.get('return_to') ?? '')
    expect(resumed.headers.get('location')).toContain('error=login_required')
  })

  test('an id token hint of another client is refused', async () => {
    const { provider, browser } = await setUp()
    const { id_token } = await signInAtClient(provider, browser)
    const asked = { client_id: 'web', redirect_uri: 'https://web.example.com/callback?tenant=1', scope: 'openid' }
    const response = await browser.get(authorizeTarget({ ...asked, id_token_hint: id_token }))
    expect(response.headers.get('location')).toContain('error=invalid_request')
  })
})
