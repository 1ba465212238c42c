import { readFileSync } from 'node:fs'
import { importJWK } from 'jose'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { nodeStart, type Quickstart, startQuickstart } from '../support/start-quickstart.ts'
import { seedPassword } from '../support/visitor.ts'
import type { Page, Visited } from './form-browser.ts'
import { answerClient, createPerson, type Person } from './sign-in-at-client.ts'

const spaCallback = 'http://127.0.0.1:4001/callback'
const scope = 'openid profile email offline_access articles:read comments:create'
const insecure = { execute: [openid.allowInsecureRequests] }

let service: Quickstart
beforeAll(async () => {
  service = await startQuickstart({ DATA_DIR: ':memory:' }, nodeStart)
})
afterAll(async () => void (await service?.stop()))

function discover(id: string, authentication = openid.None()): Promise<openid.Configuration> {
  return openid.discovery(new URL(service.url), id, undefined, authentication, insecure)
}

interface SignIn {
  readonly redirectUri?: string
  readonly scope?: string
  readonly pushes?: boolean
  readonly dpop?: { DPoP?: openid.DPoPHandle }
  readonly person?: Person
  /** What the person answers where a consent is asked for. */
  readonly decision?: 'allow' | 'deny'
}

/** Asks for a code in the browser of a person, and redeems it. */
async function signIn(config: openid.Configuration, options: SignIn = {}) {
  const { redirectUri = spaCallback, pushes = false, dpop = {}, person = reader() } = options
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
  const asked = {
    redirect_uri: redirectUri,
    scope: options.scope ?? scope,
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  }
  const address = pushes
    ? await openid.buildAuthorizationUrlWithPAR(config, asked, dpop)
    : openid.buildAuthorizationUrl(config, asked)
  const answer = await answerClient(person, address, options.decision)
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
  return openid.authorizationCodeGrant(config, answer, checks, undefined, dpop)
}

const reader = (): Person => createPerson(service.url, 'reader@example.com')

function asPage(visited: Visited): Page {
  if (visited.kind === 'page') return visited
  throw new Error(`no page of the service: ${visited.url}`)
}

async function askAs(authorization: string, query: string, headers: Readonly<Record<string, string>> = {}) {
  const response = await fetch(`${service.url}/graphql`, {
    method: 'POST',
    headers: { authorization, 'content-type': 'application/json', ...headers },
    body: JSON.stringify({ query }),
  })
  const body = (await response.json()) as { data?: unknown; errors?: readonly { extensions: { code: string } }[] }
  return { status: response.status, challenge: response.headers.get('www-authenticate') ?? '', ...body }
}

describe('openid-client against the running service', () => {
  test('signs a person in by code, PKCE, nonce, state and iss, renews, asks who it is, and signs out', async () => {
    const config = await discover('demo-spa')
    const person = reader()
    const tokens = await signIn(config, { person })
    const claims = tokens.claims()
    expect(claims).toMatchObject({ aud: 'demo-spa', acr: 'urn:latchkey:1fa', amr: ['pwd'] })
    expect([claims?.auth_time, claims?.at_hash]).toEqual([expect.any(Number), expect.any(String)])
    const sub = claims?.sub ?? ''
    const viewer = await askAs(`Bearer ${tokens.access_token}`, '{ viewer { id email } }')
    expect(viewer.data).toEqual({ viewer: { id: sub, email: 'reader@example.com' } })
    const user = await openid.fetchUserInfo(config, tokens.access_token, sub)
    expect(user).toEqual({ sub, name: 'Rae Reader', email: 'reader@example.com', email_verified: true })
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect((await askAs(`Bearer ${renewed.access_token}`, '{ viewer { id } }')).status).toBe(200)
    const logout = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'http://127.0.0.1:4001/',
      state: 'bye',
    })
    expect(`${await answerClient(person, logout)}`).toBe('http://127.0.0.1:4001/?state=bye')
  })

  test.each([
    ['in the header', openid.ClientSecretBasic('demo-web-secret')],
    ['in the form', openid.ClientSecretPost('demo-web-secret')],
  ])(
    'openid-client with its secret %s introspects and revokes its tokens, which are then refused',
    async (_title, secret) => {
      const config = await discover('demo-web', secret)
      const tokens = await signIn(config, { redirectUri: 'http://127.0.0.1:4002/callback' })
      const known = await openid.tokenIntrospection(config, tokens.access_token)
      expect(known).toMatchObject({ active: true, client_id: 'demo-web', sub: tokens.claims()?.sub })
      await openid.tokenRevocation(config, tokens.refresh_token ?? '')
      expect(await openid.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
      const refused = await askAs(`Bearer ${tokens.access_token}`, '{ viewer { id } }')
      expect([refused.status, refused.challenge]).toEqual([401, expect.stringContaining('error="invalid_token"')])
      expect(refused.challenge).toContain(
        `resource_metadata="${service.url}/.well-known/oauth-protected-resource/graphql"`,
      )
      await expect(openid.fetchUserInfo(config, tokens.access_token, openid.skipSubjectCheck)).rejects.toThrow()
    },
  )

  test('openid-client of an application may use any port of 127.0.0.1, and no other path', async () => {
    const config = await discover('demo-native')
    const tokens = await signIn(config, { redirectUri: 'http://127.0.0.1:53123/callback' })
    expect(tokens.claims()?.aud).toBe('demo-native')
    const other = openid.buildAuthorizationUrl(config, { redirect_uri: 'http://127.0.0.1:53123/callback/', scope })
    expect(await reader().browser.open(other)).toMatchObject({ kind: 'page', status: 400 })
  })

  test('openid-client that pushes its request and proves a key is served with this key only', async () => {
    const config = await discover('demo-spa')
    const keys = await openid.randomDPoPKeyPair('ES256')
    const dpop = { DPoP: openid.getDPoPHandle(config, keys) }
    const tokens = await signIn(config, { pushes: true, dpop })
    expect(tokens.token_type).toBe('dpop')
    const body = JSON.stringify({ query: '{ viewer { name } }' })
    const headers = new Headers({ 'content-type': 'application/json' })
    const url = new URL('/graphql', service.url)
    const response = await openid.fetchProtectedResource(
      ...([config, tokens.access_token, url, 'POST', body, headers, dpop] as const),
    )
    expect(await response.json()).toEqual({ data: { viewer: { name: 'Rae Reader' } } })
    expect((await askAs(`Bearer ${tokens.access_token}`, '{ viewer { id } }')).status).toBe(401)
    expect((await askAs(`DPoP ${tokens.access_token}`, '{ viewer { id } }')).status).toBe(401)
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, dpop)
    expect(renewed.token_type).toBe('dpop')
    const other = { DPoP: openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256')) }
    const stolen = openid.refreshTokenGrant(config, renewed.refresh_token ?? '', undefined, other)
    await expect(stolen).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test('openid-client of a first-party front end signs in without a question, refreshes until the sign-out, and may have a wrong clock', async () => {
    const config = await discover('demo-app')
    const slow = { [openid.clockSkew]: -3600 }
    const wrong = await openid.discovery(new URL(service.url), 'demo-app', slow, openid.None(), insecure)
    const dpop = { DPoP: openid.getDPoPHandle(wrong, await openid.randomDPoPKeyPair('ES256')) }
    const person = reader()
    const redirectUri = 'http://127.0.0.1:4003/callback'
    const asked = { redirectUri, scope: 'openid online_access', dpop, person, decision: 'deny' } as const
    const first = await signIn(config, asked)
    const tokens = await signIn(config, asked)
    await expect(openid.refreshTokenGrant(config, first.refresh_token ?? '', undefined, dpop)).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, dpop)
    const body = JSON.stringify({ query: '{ sessions { kind clientId current } }' })
    const headers = new Headers({ 'content-type': 'application/json' })
    const url = new URL('/graphql', service.url)
    const response = await openid.fetchProtectedResource(
      ...([config, renewed.access_token, url, 'POST', body, headers, dpop] as const),
    )
    const { data } = (await response.json()) as { data: { sessions: readonly { current: boolean }[] } }
    expect(data.sessions.filter(({ current }) => current)).toEqual([{ kind: 'session', clientId: null, current: true }])
    const logout = { id_token_hint: renewed.id_token ?? '', post_logout_redirect_uri: 'http://127.0.0.1:4003/' }
    expect(`${(await person.browser.open(openid.buildEndSessionUrl(config, logout))).url}`).toBe(
      'http://127.0.0.1:4003/',
    )
    const late = openid.refreshTokenGrant(config, renewed.refresh_token ?? '', undefined, dpop)
    await expect(late).rejects.toMatchObject({ error: 'invalid_grant' })
  })

  test("openid-client gets the user's refusal at its own redirect", async () => {
    const config = await discover('demo-spa')
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const asked = {
      redirect_uri: spaCallback,
      scope: 'openid accounts:read',
      state: 'one',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    }
    const person = createPerson(service.url, 'editor@example.com')
    const answer = await answerClient(person, openid.buildAuthorizationUrl(config, asked), 'deny')
    expect(answer.origin + answer.pathname).toBe(spaCallback)
    const redeemed = openid.authorizationCodeGrant(config, answer, { expectedState: 'one', pkceCodeVerifier })
    await expect(redeemed).rejects.toMatchObject({ error: 'access_denied' })
  })

  test('openid-client of a machine gets its own tokens, by a secret and by a key, which own no data', async () => {
    const bySecret = await openid.clientCredentialsGrant(
      await discover('demo-machine', openid.ClientSecretBasic('demo-machine-secret')),
    )
    expect([bySecret.scope, bySecret.refresh_token]).toEqual(['articles:read', undefined])
    const { kid, ...jwk } = JSON.parse(readFileSync(new URL('../../demo-signed.jwk.json', import.meta.url), 'utf8'))
    const key = (await importJWK(jwk, 'ES256')) as CryptoKey
    const config = await discover('demo-signed', openid.PrivateKeyJwt({ key, kid }))
    const byKey = await openid.clientCredentialsGrant(config, { scope: 'articles:read' })
    for (const { access_token: token } of [bySecret, byKey]) {
      const found = await askAs(`Bearer ${token}`, '{ search(text: "the", first: 1) { __typename } }')
      expect(found).toMatchObject({ status: 200, data: { search: [{ __typename: expect.any(String) }] } })
      expect((await askAs(`Bearer ${token}`, '{ viewer { id } }')).status).toBe(403)
      const deletion = await askAs(`Bearer ${token}`, 'mutation { deleteComment(id: "com_nothing") }')
      expect([deletion.status, deletion.errors?.[0]?.extensions.code]).toEqual([403, 'FORBIDDEN'])
    }
  })

  test('openid-client of a device gets tokens after a user has entered its code and allowed it', async () => {
    const config = await discover('demo-device')
    const started = await openid.initiateDeviceAuthorization(config, { scope: 'openid offline_access articles:read' })
    expect(started).toMatchObject({
      verification_uri: `${service.url}/device`,
      interval: 5,
      expires_in: 600,
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
    })
    const { browser } = reader()
    const signInPage = asPage(await browser.open(started.verification_uri))
    const codePage = asPage(await browser.submit(signInPage, { email: 'reader@example.com', password: seedPassword }))
    const typed = started.user_code.toLowerCase().replace('-', '')
    const question = asPage(await browser.submit(codePage, { user_code: typed }))
    expect(question.text).toContain('Demo device')
    expect(asPage(await browser.submit(question, { decision: 'allow' })).status).toBe(200)
    const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...started, interval: 0 })
    expect(tokens.refresh_token).toBeDefined()
    expect((await askAs(`Bearer ${tokens.access_token}`, '{ viewer { name } }')).data).toEqual({
      viewer: { name: 'Rae Reader' },
    })
  })
})

describe('oauth4webapi against the running service', () => {
  const allowed = { [oauth.allowInsecureRequests]: true }

  test('signs a person in by code, PKCE, nonce, state and iss, and verifies by the published keys', async () => {
    const issuer = new URL(service.url)
    const server = await oauth.processDiscoveryResponse(issuer, await oauth.discoveryRequest(issuer, allowed))
    const client = { client_id: 'demo-web' }
    const redirectUri = 'http://127.0.0.1:4002/callback'
    const verifier = oauth.generateRandomCodeVerifier()
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const address = new URL(server.authorization_endpoint ?? '')
    const asked = {
      ...{ client_id: 'demo-web', redirect_uri: redirectUri, response_type: 'code', scope: 'openid', state, nonce },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    }
    address.search = `${new URLSearchParams(asked)}`
    const answer = oauth.validateAuthResponse(server, client, await answerClient(reader(), address), state)
    const secret = oauth.ClientSecretPost('demo-web-secret')
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, secret, answer, redirectUri, verifier, allowed] as const),
    )
    const expected = { expectedNonce: nonce, requireIdToken: true }
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, expected)
    expect(tokens.refresh_token).toBeUndefined()
    await expect(oauth.validateApplicationLevelSignature(server, response, allowed)).resolves.toBeUndefined()
    const request = new Request('https://api.example.com/', {
      headers: { authorization: `Bearer ${tokens.access_token}` },
    })
    const claims = await oauth.validateJwtAccessToken(server, request, `${service.url}/graphql`, allowed)
    expect(claims).toMatchObject({ client_id: 'demo-web', scope: 'openid' })
  })
})
