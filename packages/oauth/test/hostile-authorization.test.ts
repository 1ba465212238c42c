import type { FixedClient } from '@latchkey/oauth/server'
import { cpuMilliseconds } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { answerOf, authorizeTarget, callback, createProvider, decideAt, issuer, pair, spa } from './support/provider.ts'

/** Everything is granted at once, so that what is not refused would be a code. */
async function setUp() {
  const provider = await createProvider({ consent: () => 'granted' })
  const browser = provider.openBrowser()
  browser.signIn()
  return { provider, browser }
}

async function expectErrorPage(response: Response): Promise<void> {
  expect(response.status).toBe(400)
  expect(response.headers.get('location')).toBeNull()
  expect(response.headers.get('content-type')).toBe('text/html; charset=utf-8')
  expect(response.headers.get('x-frame-options')).toBe('DENY')
  const html = await response.text()
  expect(html).not.toContain('href')
  expect(html).not.toContain('evil')
}

describe('an unregistered redirect shows an error page, and no answer is sent there', () => {
  const tricks: readonly [title: string, uri: string][] = [
    ['another host', 'https://evil.example/callback'],
    ['a longer path', `${callback}/evil`],
    ['a suffix', `${callback}evil`],
    ['a longer host', 'https://spa.example.com.evil.example/callback'],
    ['user info', 'https://spa.example.com@evil.example/callback'],
    ['user info of its own host', 'https://evil@spa.example.com/callback'],
    ['a query', `${callback}?evil`],
    ['a fragment', `${callback}#evil`],
    ['an empty fragment', `${callback}#`],
    ['upper case', 'https://SPA.example.com/callback'],
    ['upper case of the scheme', 'HTTPS://spa.example.com/callback'],
    ['a default port', 'https://spa.example.com:443/callback'],
    ['another port', 'https://spa.example.com:8443/callback'],
    ['no TLS', 'http://spa.example.com/callback'],
    ['an encoded letter', 'https://spa.example.com/%63allback'],
    ['an encoded slash', 'https://spa.example.com%2Fcallback'],
    ['two slashes', 'https://spa.example.com//callback'],
    ['a dot segment', 'https://spa.example.com/./callback'],
    ['a path upwards', 'https://spa.example.com/evil/../callback'],
    ['a path upwards with a semicolon', 'https://spa.example.com/evil/..;/callback'],
    ['a backslash', 'https://evil.example\\@spa.example.com/callback'],
    ['white space before', ` ${callback}`],
    ['white space after', `${callback} `],
    ['a line break', `${callback}\r\nevil: 1`],
    ['NUL', `${callback}\0`],
    ['a dot after the host', 'https://spa.example.com./callback'],
    ['another scheme', 'javascript:evil()//https://spa.example.com/callback'],
    ['no scheme', '//spa.example.com/callback'],
    ['a path', '/callback'],
    ['a redirect of another client', 'https://web.example.com/callback?tenant=1'],
    ['nothing', ''],
  ]

  test.each(tricks)('%s', async (_title, uri) => {
    const { browser } = await setUp()
    await expectErrorPage(await browser.get(authorizeTarget({ redirect_uri: uri })))
  })

  test('an omitted redirect, or a redirect that is sent twice', async () => {
    const { browser } = await setUp()
    await expectErrorPage(await browser.get(authorizeTarget({ redirect_uri: null })))
    const twice = `${authorizeTarget()}&redirect_uri=`
    for (const second of [callback, 'https://evil.example/', '']) {
      await expectErrorPage(await browser.get(twice + encodeURIComponent(second)))
    }
  })

  test('a request of an unknown client, or with two clients, shows an error page', async () => {
    const { browser } = await setUp()
    for (const id of ['evil', 'first-party', '__proto__', 'constructor', 'acc_ada', 'SPA', '', 'spa\0']) {
      await expectErrorPage(await browser.get(authorizeTarget({ client_id: id })))
    }
    await expectErrorPage(await browser.get(authorizeTarget({ client_id: null })))
    await expectErrorPage(await browser.get(`${authorizeTarget()}&client_id=spa`))
    await expectErrorPage(await browser.get(`${authorizeTarget()}&client_id=`))
  })

  test('a request with too many or too long parameters shows an error page', async () => {
    const { browser } = await setUp()
    await expectErrorPage(await browser.get(`${authorizeTarget()}${'&a=b'.repeat(200)}`))
    await expectErrorPage(await browser.get(`${authorizeTarget()}&a=${'b'.repeat(40_000)}`))
  })
})

describe('a native client', () => {
  const asked = (uri: string) => authorizeTarget({ client_id: 'native', redirect_uri: uri, scope: 'openid' })

  test.each([
    'http://127.0.0.1/callback',
    'http://127.0.0.1:1/callback',
    'http://127.0.0.1:65535/callback',
    'com.example.pocket:/callback',
  ])('a native client is answered at %s', async (uri) => {
    const { browser } = await setUp()
    expect(answerOf(await browser.get(asked(uri)), uri)).toMatchObject({ iss: issuer, code: expect.any(String) })
  })

  test.each([
    'http://127.0.0.1:0/callback',
    'http://127.0.0.1:08080/callback',
    'http://127.0.0.1:65536/callback',
    'http://127.0.0.1:123456/callback',
    'http://127.0.0.1:/callback',
    'http://127.0.0.1:8080/callback/evil',
    'http://127.0.0.1:8080/callback?evil',
    'http://127.0.0.1:8080@evil.example/callback',
    'http://127.0.0.1.evil.example:8080/callback',
    'http://127.1:8080/callback',
    'http://2130706433:8080/callback',
    'http://localhost:8080/callback',
    'http://[::1]:8080/callback',
    'https://127.0.0.1:8080/callback',
    'com.example.pocket:8080/callback',
  ])('a native client is not answered at %s', async (uri) => {
    const { browser } = await setUp()
    await expectErrorPage(await browser.get(asked(uri)))
  })

  test.each([
    ['http://localhost/callback', 'http://localhost:51004/callback', 'http://127.0.0.1:51004/callback'],
    ['http://localhost:8080/callback', 'http://localhost/callback', 'http://[::1]/callback'],
    ['http://[::1]/callback', 'http://[::1]:51004/callback', 'http://localhost:51004/callback'],
    ['http://127.0.0.1/callback', 'http://127.0.0.1:51004/callback', 'http://localhost.:51004/callback'],
    ['http://localhost/callback', 'http://localhost:1/callback', 'http://localhost.evil.example:1/callback'],
    ['http://localhost/callback', 'http://localhost:1/callback', 'http://LOCALHOST:1/callback'],
  ])('a native client with %s is answered at %s and not at %s', async (registered, uri, foreign) => {
    const client = { ...spa, id: 'native', kind: 'native' as const, redirectUris: [registered] }
    const provider = await createProvider({ fixedClients: [client] })
    const browser = provider.openBrowser()
    browser.signIn()
    const location = await decideAt(provider, browser, await browser.get(asked(uri)))
    expect(`${location}`).toMatch(`${uri}?code=ac_`)
    await expectErrorPage(await browser.get(asked(foreign)))
  })

  test('a web client is not answered at another port of localhost', async () => {
    const client = { ...spa, redirectUris: ['http://localhost:4001/callback'] }
    const browser = (await createProvider({ fixedClients: [client] })).openBrowser()
    browser.signIn()
    await expectErrorPage(await browser.get(authorizeTarget({ redirect_uri: 'http://localhost:4002/callback' })))
  })

  // Any application of the device can take the port or the scheme, and say that it is this client (RFC 8252 §8.6).
  test('a native client never gets a code by a remembered consent without a question', async () => {
    for (const uri of ['http://127.0.0.1:4711/callback', 'com.example.pocket:/callback']) {
      const provider = await createProvider()
      const browser = provider.openBrowser()
      browser.signIn()
      for (let time = 0; time < 2; time++) {
        const location = await decideAt(provider, browser, await browser.get(asked(uri)))
        expect(location.searchParams.get('code')).toMatch(/^ac_/)
      }
      const silent = await browser.get(`${asked(uri)}&prompt=none`)
      expect(answerOf(silent, uri)).toMatchObject({ error: 'consent_required' })
    }
  })

  test('a web client with a redirect to a scheme never gets a code by a remembered consent without a question', async () => {
    const uri = 'com.example.reader:/callback'
    const client = {
      id: 'reader',
      name: 'Reader',
      authentication: ['none'],
      redirectUris: [uri],
      scopes: ['openid'],
    } as const
    const provider = await createProvider({ fixedClients: [client] })
    const browser = provider.openBrowser()
    browser.signIn()
    const target = authorizeTarget({ client_id: 'reader', redirect_uri: uri, scope: 'openid' })
    await decideAt(provider, browser, await browser.get(target))
    expect(answerOf(await browser.get(`${target}&prompt=none`), uri)).toMatchObject({ error: 'consent_required' })
  })

  test.each<[what: string, changes: Partial<FixedClient>]>([
    [
      'an address of a site, which its application has claimed',
      { redirectUris: ['https://pocket.example.com/callback'] },
    ],
    ['a secret of its own', { authentication: ['client_secret_post'], secret: 'secret-of-pocket' }],
  ])('a native client with %s gets a code by a remembered consent', async (_what, changes) => {
    const client = {
      id: 'pocket',
      name: 'Pocket',
      kind: 'native',
      authentication: ['none'],
      scopes: ['openid'],
    } as const
    const uri = changes.redirectUris?.[0] ?? 'http://127.0.0.1/callback'
    const provider = await createProvider({ fixedClients: [{ ...client, redirectUris: [uri], ...changes }] })
    const browser = provider.openBrowser()
    browser.signIn()
    const target = authorizeTarget({ client_id: 'pocket', redirect_uri: uri, scope: 'openid' })
    await decideAt(provider, browser, await browser.get(target))
    expect(answerOf(await browser.get(target), uri).code).toMatch(/^ac_/)
  })

  test('a web client is not answered at another port of 127.0.0.1', async () => {
    const local = 'http://127.0.0.1:4001/callback'
    const client = {
      id: 'web-local',
      name: 'Local',
      authentication: ['none'],
      redirectUris: [local],
      scopes: ['openid'],
    }
    const provider = await createProvider({
      fixedClients: [{ ...client, authentication: ['none'] }],
      consent: () => 'granted',
    })
    const browser = provider.openBrowser()
    browser.signIn()
    const target = (uri: string) => authorizeTarget({ client_id: 'web-local', redirect_uri: uri, scope: 'openid' })
    expect(answerOf(await browser.get(target(local)), local).code).toMatch(/^ac_/)
    await expectErrorPage(await browser.get(target('http://127.0.0.1:4002/callback')))
  })
})

describe('an invalid request of a known client is answered at the client, with its state and the issuer', () => {
  const wrong: readonly [title: string, error: string, changes: Readonly<Record<string, string | null>>][] = [
    ['no response type', 'invalid_request', { response_type: null }],
    ['a token in the address', 'unsupported_response_type', { response_type: 'token' }],
    ['an id token in the address', 'unsupported_response_type', { response_type: 'id_token' }],
    ['the hybrid flow', 'unsupported_response_type', { response_type: 'code id_token' }],
    ['the response type none', 'unsupported_response_type', { response_type: 'none' }],
    ['an answer in the fragment', 'invalid_request', { response_mode: 'fragment' }],
    ['an answer by a form', 'invalid_request', { response_mode: 'form_post' }],
    ['no challenge', 'invalid_request', { code_challenge: null, code_challenge_method: null }],
    ['no challenge but its method', 'invalid_request', { code_challenge: null }],
    ['the method plain', 'invalid_request', { code_challenge_method: 'plain' }],
    ['no method, which is plain', 'invalid_request', { code_challenge_method: null }],
    ['a method in another case', 'invalid_request', { code_challenge_method: 's256' }],
    ['an unknown method', 'invalid_request', { code_challenge_method: 'S512' }],
    ['a verifier for a challenge', 'invalid_request', { code_challenge: `${pair.verifier}x` }],
    ['a challenge with padding', 'invalid_request', { code_challenge: `${pair.challenge}=` }],
    ['a challenge in another spelling', 'invalid_request', { code_challenge: `${pair.challenge.slice(0, -1)}B` }],
    ['no scope', 'invalid_scope', { scope: null }],
    ['an unknown scope', 'invalid_scope', { scope: 'openid articles:burn' }],
    ['an inherited name for a scope', 'invalid_scope', { scope: 'constructor' }],
    ['a scope that is quoted', 'invalid_scope', { scope: '"openid"' }],
    ['a tab between scopes', 'invalid_scope', { scope: 'openid\tarticles:read' }],
    ['a line break between scopes', 'invalid_scope', { scope: 'openid\narticles:read' }],
    ['a no-break space between scopes', 'invalid_scope', { scope: 'openid\u00a0articles:read' }],
    ['only spaces for a scope', 'invalid_scope', { scope: '   ' }],
    ['more than a hundred scopes', 'invalid_scope', { scope: 'openid  '.repeat(101) }],
    ['a request object', 'request_not_supported', { request: 'eyJhbGciOiJub25lIn0.e30.' }],
    ['an empty request object', 'request_not_supported', { request: '' }],
    ['a registration', 'registration_not_supported', { registration: '{}' }],
    ['an unknown prompt', 'invalid_request', { prompt: 'shout' }],
    ['prompt none beside another', 'invalid_request', { prompt: 'none login' }],
    ['an age that is no number', 'invalid_request', { max_age: '1e3' }],
    ['an age below zero', 'invalid_request', { max_age: '-1' }],
    ['a nonce with a line break', 'invalid_request', { nonce: 'a\nb' }],
    ['a long nonce', 'invalid_request', { nonce: 'a'.repeat(513) }],
    ['a hint that cannot be shown', 'invalid_request', { login_hint: 'ada\u202e@example.com' }],
    ['an unsigned id token as a hint', 'invalid_request', { id_token_hint: 'eyJhbGciOiJub25lIn0.eyJpYXQiOjF9.' }],
    ['a hint that is no token', 'invalid_request', { id_token_hint: 'evil' }],
    ['another resource', 'invalid_target', { resource: 'https://evil.example/graphql' }],
    ['a resource that begins like ours', 'invalid_target', { resource: `${issuer}/graphql/x` }],
    ['a thumbprint that is too short', 'invalid_request', { dpop_jkt: 'abc' }],
  ]

  test.each(wrong)('%s', async (_title, error, changes) => {
    const { browser, provider } = await setUp()
    const answer = answerOf(await browser.get(authorizeTarget(changes)))
    // RFC 6749 §4.1.2.1 has neither quotes nor backslashes there.
    const described = expect.stringMatching(/^[ !#-[\]-~]+$/)
    expect(answer).toEqual({ error, error_description: described, state: 'state-1', iss: issuer })
    expect(provider.events).toEqual([])
  })

  test('a scope with 30 000 spaces is refused within half a second of processor time', async () => {
    const { browser } = await setUp()
    const target = authorizeTarget({ scope: `openid${' '.repeat(30_000)}articles:burn` }).replaceAll('%20', '+')
    expect(target.length).toBeLessThan(32_000)
    const spent = await cpuMilliseconds(async () => {
      expect(answerOf(await browser.get(target))).toMatchObject({ error: 'invalid_scope' })
    })
    expect(spent).toBeLessThan(500)
  })

  test('a known scope that the client may not request', async () => {
    const { browser } = await setUp()
    const target = authorizeTarget({
      client_id: 'web',
      redirect_uri: 'https://web.example.com/callback?tenant=1',
      scope: 'openid comments:create',
    })
    const answer = answerOf(await browser.get(target), 'https://web.example.com/callback?tenant=1&')
    expect(answer).toMatchObject({ tenant: '1', error: 'invalid_scope' })
  })

  test.each([
    ...['response_type', 'response_mode', 'scope', 'nonce', 'code_challenge', 'code_challenge_method'],
    ...[
      'prompt',
      'max_age',
      'acr_values',
      'login_hint',
      'id_token_hint',
      'dpop_jkt',
      'claims',
      'display',
      'ui_locales',
    ],
  ])('%s that is sent twice, also if it is empty', async (name) => {
    const { browser } = await setUp()
    for (const twice of [`&${name}=&${name}=`, `&${name}=a&${name}=a`]) {
      expect(answerOf(await browser.get(authorizeTarget({ [name]: null }) + twice))).toMatchObject({
        error: 'invalid_request',
        state: 'state-1',
        iss: issuer,
      })
    }
  })

  test('a state of 4 kB comes back with an error and with a code', async () => {
    const state = `${'!~ '.repeat(1365)}x`
    expect(state).toHaveLength(4096)
    const { browser } = await setUp()
    const refused = answerOf(await browser.get(authorizeTarget({ state, scope: 'openid articles:burn' })))
    expect(refused).toMatchObject({ error: 'invalid_scope', state, iss: issuer })
    const twice = answerOf(await browser.get(`${authorizeTarget({ state })}&scope=openid`))
    expect(twice).toMatchObject({ error: 'invalid_request', state, iss: issuer })
    expect(answerOf(await browser.get(authorizeTarget({ state })))).toMatchObject({ code: expect.any(String), state })
  })

  test('a repeated state, or a state that fits in no header, does not come back', async () => {
    const { browser } = await setUp()
    for (const target of [
      `${authorizeTarget()}&state=2`,
      authorizeTarget({ state: 'a\r\nb' }),
      authorizeTarget({ state: 'ä' }),
      authorizeTarget({ state: 'a'.repeat(4097) }),
    ]) {
      const answer = answerOf(await browser.get(target))
      expect(answer).toEqual({ error: 'invalid_request', error_description: expect.any(String), iss: issuer })
    }
  })

  test('unknown parameters are ignored, also twice', async () => {
    const { browser } = await setUp()
    expect(answerOf(await browser.get(`${authorizeTarget()}&foo=1&foo=2&__proto__=1`)).code).toMatch(/^ac_/)
    expect(answerOf(await browser.get(`${authorizeTarget()}&handle=of-the-client`)).code).toMatch(/^ac_/)
  })
})

describe('the endpoint', () => {
  test('answers GET and POST only', async () => {
    const { provider } = await setUp()
    for (const method of ['PUT', 'DELETE', 'OPTIONS', 'HEAD', 'get']) {
      const response = await provider.server.handle({ ...provider.openBrowser().request('/authorize'), method })
      expect(response.status).toBe(405)
      expect(new Headers(response.headers.map(([name, value]) => [name, value])).get('allow')).toBe('GET, POST')
    }
  })

  test('a post is stored unchecked, and answered with a GET of its handle', async () => {
    const { browser } = await setUp()
    const form = Object.fromEntries(new URLSearchParams(authorizeTarget().split('?')[1]))
    const cookie = browser.cookies.get('session') ?? ''
    browser.signOut()
    const posted = await browser.post('/authorize', form, { 'sec-fetch-site': 'cross-site' })
    expect(posted.status).toBe(303)
    expect(posted.headers.get('location')).toMatch(/^\/authorize\?handle=pp\./)
    browser.cookies.set('session', cookie)
    expect(answerOf(await browser.get(posted.headers.get('location') ?? '')).code).toMatch(/^ac_/)
  })

  test('a stored post is checked as it was sent, with its repeated parameters', async () => {
    const { browser } = await setUp()
    const body = `${authorizeTarget({ nonce: null }).split('?')[1]}&nonce=&nonce=`
    const response = await browser.post('/authorize', body)
    expect(answerOf(await browser.get(response.headers.get('location') ?? ''))).toMatchObject({
      error: 'invalid_request',
    })
  })

  test('a post that is no form, and an unknown handle, show a page', async () => {
    const { browser } = await setUp()
    await expectErrorPage(await browser.post('/authorize', {}, { 'content-type': 'application/json' }))
    for (const handle of ['evil', 'pp_', `ar_${'A'.repeat(22)}.${'A'.repeat(43)}`]) {
      await expectErrorPage(await browser.get(`/authorize?handle=${handle}`))
    }
  })

  test('with Strict sessions a page of the server repeats the request once', async () => {
    const provider = await createProvider({ sessionSameSite: 'Strict', consent: () => 'granted' })
    const browser = provider.openBrowser()
    browser.signIn()
    for (const headers of [{ 'sec-fetch-site': 'cross-site' }, {}]) {
      const page = await browser.get(authorizeTarget({ state: '"><a href="https://evil.example">' }), headers)
      const html = await page.text()
      expect(page.status).toBe(200)
      expect(html).not.toContain('<a href="https:')
      // It may be in a popup, which waits for it, and a client that lost its popup would wait for ever.
      expect(page.headers.has('cross-origin-opener-policy')).toBe(false)
      const [, target = ''] = /content="0;url=([^"]+)"/.exec(html) ?? []
      const next = target.replaceAll('&amp;', '&')
      expect(next).toMatch(/^\/authorize\?/)
      const again = await browser.get(next, 'sec-fetch-site' in headers ? { 'sec-fetch-site': 'same-origin' } : {})
      expect(answerOf(again)).toMatchObject({ code: expect.any(String), state: '"><a href="https://evil.example">' })
    }
  })

  test('the page that repeats a request escapes its address', async () => {
    const { server, openBrowser } = await createProvider({ sessionSameSite: 'Strict' })
    const request = { ...openBrowser().request('/authorize'), target: '/authorize?a="><script>evil()</script>' }
    const { status, body } = await server.handle(request)
    expect(status).toBe(200)
    expect(body).not.toContain('<script>')
    expect(body).toContain('&quot;&gt;&lt;script&gt;')
  })

  test('shows a page with status 503 if a store does not answer, and sends no answer to the client', async () => {
    const provider = await createProvider()
    const { StoreError } = await import('@latchkey/store')
    const records = { ...provider.records, insert: () => Promise.reject(new StoreError('STORE_UNAVAILABLE', 'down')) }
    const broken = await createProvider({ records, onEvent: () => undefined, consent: () => 'granted' })
    const browser = broken.openBrowser()
    browser.signIn()
    const response = await browser.get(authorizeTarget())
    expect([response.status, response.headers.get('location')]).toEqual([503, null])
  })
})
