import { createOAuthClient, type OAuthClientOptions, type Provider, providers } from '@latchkey/oauth/client'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { describe, expect, test } from 'vitest'
import { openClient } from './support/open-client.ts'

type Members = Record<string, unknown>

const withClaims = (changes: Members) => (claims: Members) => ({ ...claims, ...changes })

/** Opens a client of a preset at a mock of it. RS256 is what all of them sign with; the mock's key says so. */
async function openPreset(provider: Provider, changes: Partial<OAuthClientOptions> = {}) {
  const { createProviderKey } = await import('./support/test-provider.ts')
  const opened = await openClient({ provider, ...changes })
  rsaKey ??= createProviderKey('RS256')
  opened.provider.keys = [await rsaKey]
  return opened
}
let rsaKey: ReturnType<typeof import('./support/test-provider.ts').createProviderKey> | undefined

const parametersOf = (url: string) => Object.fromEntries(new URL(url).searchParams)

describe('google', () => {
  test('google is asked for a refresh token by access_type, and not by a scope', async () => {
    const { begin } = await openPreset(providers.google, { offline: true })
    expect(parametersOf(await begin())).toMatchObject({
      scope: 'openid profile email',
      access_type: 'offline',
      prompt: 'consent',
    })
  })

  test('google signs in with its https issuer, and not with the issuer without a scheme', async () => {
    const opened = await openPreset(providers.google)
    expect(await opened.signIn()).toMatchObject({ ok: true, provider: 'google', issuer: 'https://accounts.google.com' })
    opened.provider.changes.claims = withClaims({ iss: 'accounts.google.com' })
    expect(await opened.signIn()).toMatchObject({ ok: false, detail: 'issuer' })
  })

  test('google signs in no user by an id token without RS256', async () => {
    const opened = await openClient({ provider: providers.google })
    expect(await opened.signIn()).toMatchObject({ ok: false, detail: 'algorithm' })
  })
})

describe('gitlab', () => {
  test('gitlab with offline is asked for no further scope and no prompt, and signs in', async () => {
    const opened = await openPreset(providers.gitlab, { offline: true })
    const parameters = parametersOf(await opened.begin())
    expect(parameters).toMatchObject({ scope: 'openid profile email' })
    expect(parameters).not.toHaveProperty('prompt')
    expect(await opened.signIn()).toMatchObject({ ok: true, provider: 'gitlab', issuer: 'https://gitlab.com' })
  })
})

describe('an OpenID provider', () => {
  test('an OpenID provider is asked for a refresh token by a scope and a consent, unless the caller sets the prompt', async () => {
    const { begin } = await openClient({ offline: true })
    expect(parametersOf(await begin())).toMatchObject({
      scope: 'openid profile email offline_access',
      prompt: 'consent',
    })
    expect(parametersOf(await begin({ prompt: 'none' }))).toMatchObject({ prompt: 'none' })
  })
})

describe('microsoft', () => {
  const [tenant, other] = ['11111111-2222-3333-4444-555555555555', '66666666-7777-8888-9999-aaaaaaaaaaaa']
  const consumers = '9188040d-6c67-4c5b-b112-36a304b66dad'
  const issuerOf = (tid: string) => `https://login.microsoftonline.com/${tid}/v2.0`
  const template = issuerOf('{tenantid}')

  async function openMany(name: 'common' | 'organizations', claims: Members, keyIssuer: string | null = template) {
    const opened = await openPreset(providers.microsoft({ tenant: name }))
    const { changes } = opened.provider
    changes.discovery = (found) => ({
      ...found,
      issuer: template,
      authorization_response_iss_parameter_supported: undefined,
    })
    changes.jwks = (keys) => keys.map((key) => ({ ...key, ...(keyIssuer !== null && { issuer: keyIssuer }) }))
    changes.claims = withClaims(claims)
    const { provider, finish, begin } = opened
    return {
      ...opened,
      signIn: async (iss: string | null = null) => finish(provider.authorize(await begin(), { iss })),
    }
  }

  test('microsoft of one tenant has the issuer of this tenant only', async () => {
    const opened = await openPreset(providers.microsoft({ tenant }))
    expect(await opened.signIn()).toMatchObject({ ok: true, provider: 'microsoft', issuer: issuerOf(tenant) })
    opened.provider.changes.claims = withClaims({ iss: issuerOf(other), tid: other })
    expect(await opened.signIn()).toMatchObject({ ok: false, detail: 'issuer' })
  })

  test('microsoft of persons has the issuer of their tenant', () => {
    expect(providers.microsoft({ tenant: 'consumers' }).issuer).toBe(issuerOf(consumers))
  })

  test.each(['contoso.example', '', '../evil', '{tenantid}'])(
    'microsoft of the tenant "%s" is an error: a tenant is named by its id',
    (name) => {
      expect(() => providers.microsoft({ tenant: name })).toThrow(/"tenant" must be/)
    },
  )

  test.each([
    ['names its tenant, and by a key of all tenants', {}, template, true],
    ['names its tenant, and by a key of this tenant', {}, issuerOf(tenant), true],
    ['names its tenant, and by a key that does not say whose it is', {}, null, true],
    ['names its tenant, and by a key of another tenant', {}, issuerOf(other), false],
    ['names another tenant than its issuer', { tid: other }, template, false],
    ['names no tenant', { tid: undefined }, template, false],
    ['names a tenant that is no id', { tid: '{tenantid}', iss: template }, template, false],
    ['is of another host', { iss: `https://evil.example/${tenant}/v2.0` }, template, false],
  ])(
    'microsoft of every tenant accepts or refuses an id token that %s',
    async (_title, change, keyIssuer, isAccepted) => {
      const { signIn } = await openMany('common', { iss: issuerOf(tenant), tid: tenant, ...change }, keyIssuer)
      const verdict = await signIn()
      if (isAccepted) expect(verdict).toMatchObject({ ok: true, issuer: issuerOf(tenant) })
      else expect(verdict).toMatchObject({ ok: false, reason: 'id-token', detail: 'issuer' })
    },
  )

  test('microsoft of every tenant refuses an answer with another tenant than the id token', async () => {
    const { signIn } = await openMany('common', { iss: issuerOf(tenant), tid: tenant })
    expect(await signIn(issuerOf(other))).toMatchObject({ ok: false, reason: 'issuer' })
    expect(await signIn(issuerOf(tenant))).toMatchObject({ ok: true })
  })

  test.each([
    ['names its tenant, and by a key of all tenants', {}, template, true],
    ['names its tenant, and by a key of this tenant', {}, issuerOf(tenant), true],
    ['names its tenant, and by a key of another tenant', {}, issuerOf(other), false],
    ['names another tenant than its issuer', { tid: other }, template, false],
    ['names no tenant', { tid: undefined }, template, false],
    ['names neither a tenant nor an issuer', { tid: undefined, iss: null }, template, false],
  ])(
    'microsoft of every tenant accepts or refuses a logout token that %s',
    async (_title, change, keyIssuer, isAccepted) => {
      const { client, provider, now } = await openMany('common', {}, keyIssuer)
      const iat = Math.floor(now() / 1000)
      const events = { 'http://schemas.openid.net/event/backchannel-logout': {} }
      const right = { iss: issuerOf(tenant), tid: tenant, aud: 'client', iat, exp: iat + 120, jti: 'j1', sid: 's1' }
      const claims: Members = JSON.parse(JSON.stringify({ ...right, events, ...change }))
      const verdict = await client.verifyLogoutToken(await provider.sign(claims, { typ: 'logout+jwt' }))
      expect(verdict).toMatchObject(
        isAccepted ? { ok: true, issuer: issuerOf(tenant) } : { ok: false, reason: 'issuer' },
      )
    },
  )

  test('microsoft of organizations refuses persons, and microsoft of every tenant accepts them', async () => {
    const person = { iss: issuerOf(consumers), tid: consumers }
    expect(await (await openMany('organizations', person)).signIn()).toMatchObject({ ok: false, detail: 'issuer' })
    expect(await (await openMany('common', person)).signIn()).toMatchObject({ ok: true })
  })

  test.each([
    [{ email_verified: true }, false],
    [{}, false],
    [{ xms_edov: true }, true],
    [{ xms_edov: '1' }, true],
    [{ xms_edov: 0 }, false],
  ])('microsoft verifies an address only if its owner owns the domain: %j', async (claims, emailVerified) => {
    const opened = await openPreset(providers.microsoft({ tenant }))
    opened.provider.changes.claims = (all) => ({ ...all, email_verified: undefined, ...claims })
    expect(await opened.signIn()).toMatchObject({ ok: true, email: 'ada@one.example', emailVerified })
  })
})

describe('apple', () => {
  const open = async () => {
    const { privateKey } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, [
      'sign',
      'verify',
    ])
    const opened = await openPreset(providers.apple({ teamId: 'TEAM123456' }), {
      clientId: 'com.example.app',
      privateKey: { id: 'KEY1234567', key: privateKey },
    })
    // Its metadata do not promise iss, and have no userinfo.
    opened.provider.changes.discovery = ({ userinfo_endpoint: _none, ...found }) => ({
      ...found,
      authorization_response_iss_parameter_supported: undefined,
      token_endpoint_auth_methods_supported: ['client_secret_post'],
    })
    /** What the browser posts, without a cookie, when the user has agreed. */
    const agree = async (user?: string) => {
      const url = await opened.begin({ returnTo: '/inbox' })
      const form = opened.provider.authorize(url, { iss: null }).searchParams
      if (user !== undefined) form.set('user', user)
      return { url, form: String(form) }
    }
    const finishAt = async (form: string) => {
      const posted = await opened.client.receivePost(form)
      return posted.ok ? opened.finish(posted.location) : posted
    }
    return { ...opened, agree, finishAt }
  }

  test('posts its answer, which signs in once the browser comes back with its cookie', async () => {
    const { agree, client, finish, jar } = await open()
    const { url, form } = await agree()
    expect(parametersOf(url)).toMatchObject({ response_mode: 'form_post', scope: 'openid name email' })
    const posted = await client.receivePost(form)
    if (!posted.ok) throw new Error(posted.reason)
    expect(posted.location).toMatch(/^https:\/\/app\.example\/sign-in\/one\/callback\?handle=op_[\w.-]+$/)
    expect(posted.location).not.toContain(new URLSearchParams(form).get('code'))
    expect(await finish(posted.location)).toMatchObject({ ok: true, provider: 'apple', returnTo: '/inbox' })
    expect(jar.cookies.size).toBe(0)
  })

  test('apple gets a client secret that the private key has signed for this request', async () => {
    const { agree, finishAt, provider, now } = await open()
    await finishAt((await agree()).form)
    const sent = provider.asked.find(({ path }) => path === '/token')
    const secret = sent?.form.get('client_secret') ?? ''
    expect(sent?.authorization).toBeNull()
    expect(decodeProtectedHeader(secret)).toEqual({ alg: 'ES256', kid: 'KEY1234567' })
    const seconds = Math.floor(now() / 1000)
    expect(decodeJwt(secret)).toEqual({
      iss: 'TEAM123456',
      sub: 'com.example.app',
      aud: 'https://appleid.apple.com',
      iat: seconds,
      exp: seconds + 300,
    })
  })

  test('has a handle that works once, for a minute, and only with the cookie of the sign-in', async () => {
    const { agree, client, finish, jar, advance } = await open()
    const post = async () => {
      const posted = await client.receivePost((await agree()).form)
      return posted.ok ? posted.location : ''
    }
    const first = await post()
    expect(await client.finish(first, null)).toMatchObject({ ok: false, reason: 'state' })
    expect(await client.finish(first, jar.header())).toMatchObject({ ok: false, reason: 'state' })
    const late = await post()
    advance(60)
    expect(await finish(late)).toMatchObject({ ok: false, reason: 'state' })
    expect(await finish(await post())).toMatchObject({ ok: true })
  })

  test('a handle of apple has no value for another client, and stays valid for its own client', async () => {
    const { agree, client, finish, records } = await open()
    const posted = await client.receivePost((await agree()).form)
    const other = await openPreset(
      { ...providers.openid({ issuer: 'https://two.example' }), responseMode: 'form_post' },
      { records, redirectUri: 'https://app.example/two/callback' },
    )
    const handle = new URL(posted.ok ? posted.location : '').search
    expect(await other.finish(`/two/callback${handle}`)).toMatchObject({ ok: false, reason: 'state' })
    expect(await finish(posted.ok ? posted.location : '')).toMatchObject({ ok: true })
  })

  test('answers by a post only: a code in an address is refused', async () => {
    const { agree, finish } = await open()
    const { form } = await agree()
    expect(await finish(`https://app.example/sign-in/one/callback?${form}`)).toMatchObject({
      ok: false,
      reason: 'state',
    })
  })

  test.each([
    ['without a state', 'state', 'code=1'],
    ['with a state of another kind', 'state', `code=1&state=${'x'.repeat(45)}`],
    ['with two states', 'malformed', 'code=1&state=1&state=2'],
    ['without anything', 'state', ''],
  ])('a post of apple %s is not stored', async (_title, reason, form) => {
    const { client, records } = await open()
    records.insert = () => Promise.reject(new Error('it was kept'))
    expect(await client.receivePost(form)).toEqual({ ok: false, reason })
  })

  test('a post for a provider that does not post is not stored', async () => {
    const { client, records, begin, provider } = await openClient()
    const form = String(provider.authorize(await begin()).searchParams)
    records.insert = () => Promise.reject(new Error('it was kept'))
    expect(await client.receivePost(form)).toEqual({ ok: false, reason: 'malformed' })
  })

  test.each([
    ['true', true],
    [true, true],
    ['false', false],
    [undefined, false],
  ])('apple states a verified address as a text or a boolean: %j', async (email_verified, emailVerified) => {
    const { agree, finishAt, provider } = await open()
    provider.changes.claims = withClaims({ email_verified })
    expect(await finishAt((await agree()).form)).toMatchObject({ ok: true, emailVerified })
  })

  test.each([
    ['{"name":{"firstName":"Ada","lastName":"Byron"},"email":"eve@one.example"}', 'Ada Byron'],
    ['{"name":{"firstName":"Ada"}}', 'Ada'],
    ['{"name":"Ada"}', undefined],
    ['{"name":', undefined],
    ['[]', undefined],
  ])('apple sends the name once with the answer, and no other member of it is read: %s', async (user, name) => {
    const { agree, finishAt } = await open()
    const verdict = await finishAt((await agree(user)).form)
    expect(verdict).toMatchObject({ ok: true, email: 'ada@one.example' })
    expect('claims' in verdict && verdict.claims.name).toBe(name)
  })

  test('apple with its own error code for a user who refuses is access_denied', async () => {
    const { agree, finishAt } = await open()
    const state = new URLSearchParams((await agree()).form).get('state')
    const form = String(new URLSearchParams({ state: state ?? '', error: 'user_cancelled_authorize' }))
    expect(await finishAt(form)).toMatchObject({ ok: false, reason: 'access_denied' })
  })
})

/** A provider of OAuth 2.0 that answers as its documents say. */
function openOAuth(
  provider: Provider,
  answers: Readonly<Record<string, unknown>>,
  changes: Partial<OAuthClientOptions> = {},
) {
  const asked: { url: string; form: URLSearchParams; authorization: string | null; accept: string | null }[] = []
  return openClient({
    provider,
    async fetch(input, init) {
      const request = new Request(input, init)
      const { headers } = request
      asked.push({
        url: request.url,
        form: new URLSearchParams(request.method === 'POST' ? await request.text() : ''),
        authorization: headers.get('authorization'),
        accept: headers.get('accept'),
      })
      const answer = answers[request.url]
      return answer === undefined ? new Response('{}', { status: 404 }) : new Response(JSON.stringify(answer))
    },
    ...changes,
  }).then((opened) => ({ ...opened, asked }))
}

describe('github', () => {
  const token = { access_token: 'gho_1', token_type: 'bearer', scope: 'read:user,user:email' }
  const user = { id: 42, login: 'ada', name: 'Ada', email: 'public@one.example' }
  const emails = [
    { email: 'old@one.example', primary: false, verified: true },
    { email: 'ada@one.example', primary: true, verified: true },
  ]
  const open = (changes: Readonly<Record<string, unknown>> = {}) =>
    openOAuth(providers.github, {
      'https://github.com/login/oauth/access_token': token,
      'https://api.github.com/user': user,
      'https://api.github.com/user/emails': emails,
      ...changes,
    })
  const agreed = async ({ begin, provider, finish }: Awaited<ReturnType<typeof open>>) =>
    finish(provider.authorize(await begin(), { iss: null }))

  test('github signs in no user if an age of the sign-in is required, which it does not state', async () => {
    const opened = await open()
    const url = opened.provider.authorize(await opened.begin({ maxAgeSeconds: 60 }), { iss: null })
    expect(await opened.finish(url)).toMatchObject({ ok: false, reason: 'id-token', detail: 'missing' })
    expect(opened.asked).toEqual([])
  })

  test('github identifies a user through its API by the id, and not by the name', async () => {
    const opened = await open()
    expect(await opened.begin()).toMatch(/^https:\/\/github\.com\/login\/oauth\/authorize\?/)
    expect(parametersOf(await opened.begin())).not.toHaveProperty('nonce')
    expect(await agreed(opened)).toMatchObject({
      ok: true,
      provider: 'github',
      issuer: 'https://github.com/login/oauth',
      subject: '42',
      claims: { sub: '42', name: 'Ada' },
      email: 'ada@one.example',
      emailVerified: true,
      tokens: {
        accessToken: 'gho_1',
        idToken: null,
        refreshToken: null,
        expiresAt: null,
        scopes: ['read:user', 'user:email'],
      },
    })
    expect(opened.asked.map(({ url }) => url)).toEqual([
      'https://github.com/login/oauth/access_token',
      'https://api.github.com/user',
      'https://api.github.com/user/emails',
    ])
    const [sent, ...calls] = opened.asked
    expect(sent).toMatchObject({ accept: 'application/json', authorization: null })
    expect(sent?.form.get('client_secret')).toBe('secret-of-client')
    expect(sent?.form.get('code_verifier')).toMatch(/^[\w-]{43}$/)
    expect(calls.map(({ authorization }) => authorization)).toEqual(['Bearer gho_1', 'Bearer gho_1'])
  })

  test.each([
    ['is not verified', [{ email: 'ada@one.example', primary: true, verified: false }]],
    ['is not the main one', [{ email: 'ada@one.example', primary: false, verified: true }]],
    ['is not there', []],
    ['may not be read', undefined],
    ['is no list', { email: 'ada@one.example', primary: true, verified: true }],
  ])('github has no address if it %s', async (_title, answer) => {
    const opened = await open({ 'https://api.github.com/user/emails': answer })
    expect(await agreed(opened)).toMatchObject({ ok: true, email: null, emailVerified: false })
  })

  test.each([
    ['without an id', { login: 'ada' }],
    ['with an id that is a text', { id: '42' }],
    ['that is a list', [user]],
    ['that may not be read', undefined],
  ])('signs in no user %s', async (_title, answer) => {
    expect(await agreed(await open({ 'https://api.github.com/user': answer }))).toMatchObject({
      ok: false,
      reason: 'user',
    })
  })

  test.each([
    ['https://github.com/login/oauth', { ok: true }],
    ['https://github.com', { ok: false, reason: 'issuer' }],
  ])('github may name itself in its answers by its own issuer only: %s', async (iss, expected) => {
    const { begin, provider, finish } = await open()
    expect(await finish(provider.authorize(await begin(), { iss }))).toMatchObject(expected)
  })

  test('github with a refused code and status 200 signs in no user', async () => {
    const refusal = { error: 'bad_verification_code', error_description: 'The code passed is incorrect or expired.' }
    const opened = await open({ 'https://github.com/login/oauth/access_token': refusal })
    expect(await agreed(opened)).toMatchObject({ ok: false, reason: 'code' })
  })

  test('github with a refused client and status 200 is an error with a code', async () => {
    const opened = await open({
      'https://github.com/login/oauth/access_token': { error: 'incorrect_client_credentials' },
    })
    await expect(agreed(opened)).rejects.toMatchObject({
      code: 'OAUTH_CLIENT_REJECTED',
      message: 'the provider refuses this client: by a code of its own',
    })
  })

  test('has neither revocation nor logout of RFC 7009 and OpenID Connect', async () => {
    const { client, asked } = await open()
    expect(await client.revoke('gho_1')).toBe(false)
    expect(await client.logoutUrl()).toBeNull()
    expect(asked).toEqual([])
  })

  test('github renews expiring tokens without an id token', async () => {
    const opened = await open()
    const identity = { issuer: 'https://github.com/login/oauth', subject: '42' }
    expect(await opened.client.refresh('ghr_1', identity)).toMatchObject({
      ok: true,
      tokens: { accessToken: 'gho_1' },
      claims: null,
    })
    const refused = await open({ 'https://github.com/login/oauth/access_token': { error: 'bad_refresh_token' } })
    expect(await refused.client.refresh('ghr_1', identity)).toEqual({ ok: false, reason: 'refused' })
  })
})

describe('discord', () => {
  const user = {
    id: '80351110224678912',
    username: 'ada',
    global_name: 'Ada',
    email: 'ada@one.example',
    verified: true,
  }
  const open = (answer: unknown) =>
    openOAuth(providers.discord, {
      'https://discord.com/api/oauth2/token': {
        access_token: 'd1',
        token_type: 'Bearer',
        expires_in: 604_800,
        refresh_token: 'd2',
        scope: 'identify email',
      },
      'https://discord.com/api/users/@me': answer,
      'https://discord.com/api/oauth2/token/revoke': {},
    })
  const agreed = async ({ begin, provider, finish }: Awaited<ReturnType<typeof open>>) =>
    finish(provider.authorize(await begin(), { iss: null }))

  test('discord identifies a user through its API, and revokes a token', async () => {
    const opened = await open(user)
    expect(await agreed(opened)).toMatchObject({
      ok: true,
      issuer: 'https://discord.com',
      subject: '80351110224678912',
      claims: { name: 'Ada' },
      email: 'ada@one.example',
      emailVerified: true,
      tokens: { refreshToken: 'd2' },
    })
    expect(await opened.client.revoke('d2')).toBe(true)
    expect(opened.asked.at(-1)?.form.get('token')).toBe('d2')
  })

  test('has no address that it has not verified', async () => {
    expect(await agreed(await open({ ...user, verified: false }))).toMatchObject({ ok: true, email: null })
  })

  test.each([{ ...user, id: 7 }, { ...user, id: 'ada' }, {}, null, []])('signs in no user like %j', async (answer) => {
    expect(await agreed(await open(answer))).toMatchObject({ ok: false, reason: 'user' })
  })
})

describe('every preset', () => {
  test('a client can be created with every preset', async () => {
    const { privateKey: key } = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, [
      'sign',
      'verify',
    ])
    const { google, github, gitlab, discord, microsoft, apple, openid } = providers
    const all = [
      ...[google, github, gitlab, discord, microsoft({ tenant: 'common' }), apple({ teamId: 'TEAM123456' })],
      openid({ issuer: 'https://id.example.com' }),
    ]
    expect(all).toHaveLength(Object.keys(providers).length)
    const { records } = await openClient()
    for (const provider of all) {
      const { name } =
        createOAuthClient({
          provider,
          clientId: 'client',
          ...(provider.name === 'apple' ? { privateKey: { id: '1', key } } : { clientSecret: 'secret' }),
          redirectUri: `https://app.example/${provider.name}/callback`,
          records,
          secrets: [{ id: 'a', bytes: new Uint8Array(32) }],
        }) && provider
      expect(name).toMatch(/^[a-z]+$/)
    }
  })
})
