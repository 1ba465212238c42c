import { readFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import { createKeyRing, generateJwtKey } from '@latchkey/jwt'
import type { FixedClient } from '@latchkey/oauth/server'
import * as oauth from 'oauth4webapi'
import * as openid from 'openid-client'
import { afterAll, beforeAll, beforeEach, describe, expect, test } from 'vitest'
import { type ListeningProvider, listenAsProvider } from './support/listening-provider.ts'

const redirectUri = 'http://127.0.0.1:4001/callback'
const scopes = ['openid', 'profile', 'email', 'offline_access', 'articles:read']
const spa: FixedClient = {
  id: 'spa',
  name: 'Reader',
  authentication: ['none'],
  redirectUris: [redirectUri],
  postLogoutRedirectUris: ['http://127.0.0.1:4001/'],
  scopes,
}
const web: FixedClient = {
  id: 'web',
  name: 'Desk',
  authentication: ['client_secret_basic', 'client_secret_post'],
  secret: 'secret-of-web',
  redirectUris: [redirectUri],
  scopes,
}
const machine: FixedClient = {
  id: 'machine',
  name: 'Machine',
  authentication: ['client_secret_basic'],
  secret: 'secret-of-machine',
  scopes: ['articles:read'],
}
const device: FixedClient = {
  id: 'device',
  name: 'Television',
  authentication: ['none'],
  grantTypes: ['urn:ietf:params:oauth:grant-type:device_code', 'refresh_token'],
  scopes,
}

const rsa: FixedClient = { ...web, id: 'rsa', idTokenSignedResponseAlg: 'RS256' }

/** As docs/guides/mobile-and-desktop-apps.md registers it. */
const app: FixedClient = {
  id: 'notes-app',
  name: 'Notes',
  kind: 'native',
  authentication: ['none'],
  firstParty: true,
  grantTypes: ['authorization_code', 'refresh_token'],
  redirectUris: ['https://notes.example.com/opened'],
  scopes: ['openid', 'profile', 'offline_access', 'articles:read'],
}

let provider: ListeningProvider
let signingKey: CryptoKeyPair

beforeAll(async () => {
  signingKey = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
  const { kty, crv, x, y } = await crypto.subtle.exportKey('jwk', signingKey.publicKey)
  const signed: FixedClient = {
    id: 'signed',
    name: 'Signed',
    authentication: ['private_key_jwt'],
    jwks: { keys: [{ kty, crv, x, y, kid: 'one', alg: 'ES256', use: 'sig' }] },
    scopes: ['articles:read'],
  }
  const [ecKey, rsaKey] = [await generateJwtKey('ES256'), await generateJwtKey('RS256')]
  provider = await listenAsProvider(() => ({
    idTokenKeys: [createKeyRing({ keys: [ecKey] }), createKeyRing({ keys: [rsaKey] })],
    fixedClients: [rsa, spa, web, machine, device, signed, app],
    consent: () => 'granted',
    signOut: () => [],
  }))
})
beforeEach(() => provider.signIn())
afterAll(() => provider?.close())

const insecure = { execute: [openid.allowInsecureRequests] }

function discover(
  clientId: string,
  secret?: string,
  authentication?: openid.ClientAuth,
): Promise<openid.Configuration> {
  return openid.discovery(provider.issuer, clientId, secret, authentication, insecure)
}

/** Asks for a code, and redeems it. */
async function signIn(
  config: openid.Configuration,
  { pushes = false, dpop = {} as { DPoP?: openid.DPoPHandle } } = {},
) {
  const pkceCodeVerifier = openid.randomPKCECodeVerifier()
  const [expectedState, expectedNonce] = [openid.randomState(), openid.randomNonce()]
  const asked = {
    redirect_uri: redirectUri,
    scope: scopes.join(' '),
    code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
    code_challenge_method: 'S256',
    state: expectedState,
    nonce: expectedNonce,
  }
  const url = pushes
    ? await openid.buildAuthorizationUrlWithPAR(config, asked, dpop)
    : openid.buildAuthorizationUrl(config, asked)
  const checks = { pkceCodeVerifier, expectedState, expectedNonce, idTokenExpected: true }
  return openid.authorizationCodeGrant(config, await provider.visit(url), checks, undefined, dpop)
}

describe('openid-client', () => {
  test('signs in by code, PKCE, nonce, state and iss, reads userinfo, refreshes and signs out', async () => {
    const config = await discover('spa')
    const tokens = await signIn(config)
    expect(tokens.claims()).toMatchObject({ sub: 'acc_ada', aud: 'spa', acr: 'urn:latchkey:1fa', amr: ['pwd'] })
    const user = await openid.fetchUserInfo(config, tokens.access_token, 'acc_ada')
    expect(user).toEqual({ sub: 'acc_ada', name: 'acc_ada', email: 'acc_ada@example.com', email_verified: true })
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    expect(renewed.access_token).not.toBe(tokens.access_token)
    const logout = openid.buildEndSessionUrl(config, {
      id_token_hint: tokens.id_token ?? '',
      post_logout_redirect_uri: 'http://127.0.0.1:4001/',
      state: 'bye',
    })
    expect(`${await provider.visit(logout)}`).toBe('http://127.0.0.1:4001/?state=bye')
  })

  test.each([
    ['in the header', openid.ClientSecretBasic('secret-of-web')],
    ['in the form', openid.ClientSecretPost('secret-of-web')],
  ])('openid-client with its secret %s introspects and revokes its tokens', async (_title, authentication) => {
    const config = await discover('web', undefined, authentication)
    const tokens = await signIn(config)
    expect(await openid.tokenIntrospection(config, tokens.access_token)).toMatchObject({
      active: true,
      client_id: 'web',
      sub: 'acc_ada',
    })
    await openid.tokenRevocation(config, tokens.refresh_token ?? '')
    expect(await openid.tokenIntrospection(config, tokens.access_token)).toEqual({ active: false })
    await expect(openid.refreshTokenGrant(config, tokens.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
    await expect(openid.fetchUserInfo(config, tokens.access_token, 'acc_ada')).rejects.toThrow()
  })

  test('openid-client with RS256 alone, the default of OpenID Connect, verifies its id tokens, and other clients do not get RS256', async () => {
    const takes = { id_token_signed_response_alg: 'RS256', client_secret: 'secret-of-web' }
    const discoverAs = (id: string) => openid.discovery(provider.issuer, id, takes, undefined, insecure)
    const config = await discoverAs('rsa')
    expect(config.serverMetadata().id_token_signing_alg_values_supported).toEqual(['ES256', 'RS256'])
    openid.enableNonRepudiationChecks(config)
    const tokens = await signIn(config)
    expect(tokens.claims()).toMatchObject({ sub: 'acc_ada', aud: 'rsa' })
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '')
    const algorithmOf = (token = '') => JSON.parse(atob(token.split('.')[0] ?? '')).alg
    expect([tokens, renewed].map((given) => [given.id_token, given.access_token].map(algorithmOf))).toEqual([
      ['RS256', 'ES256'],
      ['RS256', 'ES256'],
    ])
    await expect(signIn(await discoverAs('web'))).rejects.toMatchObject({
      cause: { message: 'unexpected JWT "alg" header parameter' },
    })
    await expect(openid.fetchUserInfo(config, tokens.id_token ?? '', 'acc_ada')).rejects.toThrow()
    provider.signIn()
    const logout = openid.buildEndSessionUrl(config, { id_token_hint: renewed.id_token ?? '' })
    expect((await fetch(logout)).status).toBe(200)
  })

  test('openid-client pushes its request, and binds all tokens to its own key', async () => {
    const config = await discover('spa')
    const dpop = { DPoP: openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256')) }
    const tokens = await signIn(config, { pushes: true, dpop })
    expect(tokens.token_type).toBe('dpop')
    await expect(openid.fetchUserInfo(config, tokens.access_token, 'acc_ada', dpop)).resolves.toMatchObject({
      sub: 'acc_ada',
    })
    const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, dpop)
    expect(renewed.token_type).toBe('dpop')
    await expect(openid.refreshTokenGrant(config, renewed.refresh_token ?? '')).rejects.toMatchObject({
      error: 'invalid_grant',
    })
  })

  test.each([-3600, 120, 86_400])(
    'openid-client with a clock that is %i seconds off gets tokens and userinfo by nonces',
    async (seconds) => {
      const config = await discover('spa')
      const wrong = await openid.discovery(provider.issuer, 'spa', { [openid.clockSkew]: seconds }, undefined, insecure)
      const dpop = { DPoP: openid.getDPoPHandle(wrong, await openid.randomDPoPKeyPair('ES256')) }
      const tokens = await signIn(config, { pushes: true, dpop })
      const user = openid.fetchUserInfo(config, tokens.access_token, 'acc_ada', dpop)
      await expect(user).resolves.toMatchObject({ sub: 'acc_ada' })
      const renewed = await openid.refreshTokenGrant(config, tokens.refresh_token ?? '', undefined, dpop)
      expect(renewed.token_type).toBe('dpop')
    },
  )

  test('openid-client that has pushed its request with a key redeems the code with this key only', async () => {
    const config = await discover('spa')
    const dpop = { DPoP: openid.getDPoPHandle(config, await openid.randomDPoPKeyPair('ES256')) }
    const pkceCodeVerifier = openid.randomPKCECodeVerifier()
    const asked = {
      redirect_uri: redirectUri,
      scope: 'openid',
      code_challenge: await openid.calculatePKCECodeChallenge(pkceCodeVerifier),
      code_challenge_method: 'S256',
    }
    const answer = await provider.visit(await openid.buildAuthorizationUrlWithPAR(config, asked, dpop))
    const redeem = (options = {}) =>
      openid.authorizationCodeGrant(config, answer, { pkceCodeVerifier }, undefined, options)
    await expect(redeem()).rejects.toMatchObject({ error: 'invalid_dpop_proof' })
    await expect(redeem(dpop)).resolves.toMatchObject({ token_type: 'dpop' })
  })

  test('openid-client gets a refusal at its own redirect', async () => {
    const config = await discover('spa')
    const asked = {
      redirect_uri: redirectUri,
      scope: 'openid',
      state: 'one',
      code_challenge: 'x',
      code_challenge_method: 'S256',
    }
    const answer = await provider.visit(openid.buildAuthorizationUrl(config, asked))
    const redeemed = openid.authorizationCodeGrant(config, answer, { expectedState: 'one' })
    await expect(redeemed).rejects.toMatchObject({ error: 'invalid_request' })
  })

  test('gets tokens of client_credentials with a secret and with a key', async () => {
    const bySecret = await openid.clientCredentialsGrant(
      await discover('machine', 'secret-of-machine', openid.ClientSecretBasic('secret-of-machine')),
    )
    expect([bySecret.scope, bySecret.refresh_token, bySecret.id_token]).toEqual(['articles:read', undefined, undefined])
    const key = { key: signingKey.privateKey, kid: 'one' }
    const config = await discover('signed', undefined, openid.PrivateKeyJwt(key))
    expect((await openid.clientCredentialsGrant(config, { scope: 'articles:read' })).token_type).toBe('bearer')
  })

  test('openid-client on a device gets tokens after its user has allowed it', async () => {
    const config = await discover('device')
    const started = await openid.initiateDeviceAuthorization(config, { scope: 'openid offline_access' })
    expect(started).toMatchObject({
      interval: 5,
      expires_in: 600,
      user_code: expect.stringMatching(/^[B-Z]{4}-[B-Z]{4}$/),
    })
    const browser = provider.openBrowser()
    browser.signIn('acc_eve')
    const page = browser.request('/device')
    const shown = await provider.server.readDevice(page, started.user_code.toLowerCase().replace('-', ' '))
    if (!shown.ok) throw new Error(shown.reason)
    expect(shown).toMatchObject({ client: { name: 'Television' }, scopes: ['openid', 'offline_access'] })
    const decision = { userCode: started.user_code, token: shown.token, decision: 'allow' } as const
    expect(await provider.server.decideDevice(page, decision)).toEqual({ ok: true })
    const tokens = await openid.pollDeviceAuthorizationGrant(config, { ...started, interval: 0 })
    expect(tokens.claims()?.sub).toBe('acc_eve')
    expect(tokens.refresh_token).toBeDefined()
  })
})

/** The functions of the guide on mobile apps, for an issuer on this machine and an application that a link opens. */
function readGuide(keys: CryptoKeyPair, clockSkew = 0) {
  const guide = readFileSync(new URL('../../../docs/guides/mobile-and-desktop-apps.md', import.meta.url), 'utf8')
  const [, block = ''] = /^```ts\nimport \* as oauth[^\n]*\n([\s\S]*?)^```/m.exec(guide) ?? []
  const code = stripTypeScriptTypes(block)
    .replaceAll('export ', '')
    .replace('https://id.example.com', provider.issuer.href)
    .replace("client_id: 'notes-app' }", "client_id: 'notes-app', [oauth.clockSkew]: clockSkew }")
    .replace('com.example.notes:/callback', 'https://notes.example.com/opened')
    .replace('discoveryRequest(issuer)', 'discoveryRequest(issuer, allowed)')
    .replaceAll('{ DPoP }', '{ DPoP, ...allowed }')
  const parts = {
    oauth,
    keys,
    openBrowser: provider.visit,
    allowed: { [oauth.allowInsecureRequests]: true },
    clockSkew,
  }
  return new Function(...Object.keys(parts), `${code}\nreturn { signIn, refresh }`)(...Object.values(parts)) as {
    signIn(): Promise<oauth.TokenEndpointResponse>
    refresh(token: string): Promise<oauth.TokenEndpointResponse>
  }
}

describe('an application by the code of the guide', () => {
  test('signs in with its key, repeats a refresh whose response was lost, and refreshes with no other key', async () => {
    const keys = await oauth.generateKeyPair('ES256')
    const { signIn: enter, refresh } = readGuide(keys)
    const first = await enter()
    expect(first).toMatchObject({ token_type: 'dpop', refresh_token: expect.any(String) })
    const lost = await refresh(first.refresh_token ?? '')
    const repeated = await refresh(first.refresh_token ?? '')
    expect(repeated.refresh_token).toBe(lost.refresh_token)
    const other = readGuide(await oauth.generateKeyPair('ES256'))
    await expect(other.refresh(lost.refresh_token ?? '')).rejects.toMatchObject({ error: 'invalid_grant' })
    await expect(refresh(lost.refresh_token ?? '')).resolves.toMatchObject({ token_type: 'dpop' })
  })

  test('an application with a wrong clock gets a nonce, and its repeated request is accepted', async () => {
    const keys = await oauth.generateKeyPair('ES256')
    const { refresh_token: token = '' } = await readGuide(keys).signIn()
    const { refresh } = readGuide(keys, -3600)
    const refused = await refresh(token).catch((error: unknown) => error)
    expect(oauth.isDPoPNonceError(refused)).toBe(true)
    await expect(refresh(token)).resolves.toMatchObject({ token_type: 'dpop' })
  })
})

describe('oauth4webapi', () => {
  const allowed = { [oauth.allowInsecureRequests]: true }

  test('signs in by code, PKCE, nonce, state and iss', async () => {
    const discovery = await oauth.discoveryRequest(provider.issuer, allowed)
    const server = await oauth.processDiscoveryResponse(provider.issuer, discovery)
    const client = { client_id: 'web' }
    const verifier = oauth.generateRandomCodeVerifier()
    const [state, nonce] = [oauth.generateRandomState(), oauth.generateRandomNonce()]
    const url = new URL(server.authorization_endpoint ?? '')
    const asked = {
      ...{ client_id: 'web', redirect_uri: redirectUri, response_type: 'code', scope: 'openid', state, nonce },
      ...{ code_challenge: await oauth.calculatePKCECodeChallenge(verifier), code_challenge_method: 'S256' },
    }
    url.search = `${new URLSearchParams(asked)}`
    const answer = oauth.validateAuthResponse(server, client, await provider.visit(url), state)
    const authentication = oauth.ClientSecretPost('secret-of-web')
    const response = await oauth.authorizationCodeGrantRequest(
      ...([server, client, authentication, answer, redirectUri, verifier, allowed] as const),
    )
    const expected = { expectedNonce: nonce, requireIdToken: true }
    const tokens = await oauth.processAuthorizationCodeResponse(server, client, response, expected)
    expect(oauth.getValidatedIdTokenClaims(tokens)).toMatchObject({ sub: 'acc_ada', nonce })
    expect(tokens.refresh_token).toBeUndefined()
    await expect(oauth.validateApplicationLevelSignature(server, response, allowed)).resolves.toBeUndefined()
    const userInfo = await oauth.userInfoRequest(server, client, tokens.access_token, allowed)
    expect(await oauth.processUserInfoResponse(server, client, 'acc_ada', userInfo)).toEqual({ sub: 'acc_ada' })
  })

  test('verifies an access token of RFC 9068 by the published keys alone', async () => {
    const server = await oauth.processDiscoveryResponse(
      provider.issuer,
      await oauth.discoveryRequest(provider.issuer, allowed),
    )
    const config = await discover('machine', undefined, openid.ClientSecretBasic('secret-of-machine'))
    const { access_token: token } = await openid.clientCredentialsGrant(config)
    const request = new Request('https://api.example.com/', { headers: { authorization: `Bearer ${token}` } })
    const audience = `${provider.issuer.origin}/graphql`
    const claims = await oauth.validateJwtAccessToken(server, request, audience, allowed)
    expect(claims).toMatchObject({ client_id: 'machine', sub: 'machine', scope: 'articles:read' })
  })
})
