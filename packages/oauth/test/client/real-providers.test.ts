import {
  createOAuthClient,
  type LogoutVerdict,
  type OAuthClient,
  type OAuthClientOptions,
  providers,
} from '@latchkey/oauth/client'
import { createMemoryRecordStore } from '@latchkey/store'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type ListeningProvider, listenAsProvider } from '../support/listening-provider.ts'
import { createCookieJar, secrets } from './support/open-client.ts'
import { createRobot, type Listening, listen, openOidcProvider } from './support/open-oidc-provider.ts'

const app = 'http://127.0.0.1:4002'
const redirectUri = `${app}/callback`

function createClient(issuer: string, changes: Partial<OAuthClientOptions> = {}): OAuthClient {
  return createOAuthClient({
    provider: providers.openid({ issuer }),
    clientId: 'client',
    clientSecret: 'secret-of-client',
    redirectUri,
    records: createMemoryRecordStore(),
    secrets,
    offline: true,
    timeoutMs: 30_000,
    ...changes,
  })
}

/** Signs in by going where the provider says. */
async function signIn(client: OAuthClient, visit: (address: string) => Promise<URL>) {
  const jar = createCookieJar()
  const { url, cookie } = await client.begin({ returnTo: '/inbox' })
  jar.keep(cookie)
  const callback = await visit(url)
  const verdict = await client.finish(callback, jar.header())
  if (!verdict.ok) throw new Error(`not signed in: ${verdict.reason} at ${callback.search}`)
  expect(await client.finish(callback, jar.header())).toMatchObject({ ok: false, reason: 'used' })
  return verdict
}

/** Takes logout tokens, as the application of a client would. */
function listenToLogouts(backchannel: Listening, client: OAuthClient): readonly LogoutVerdict[] {
  const logouts: LogoutVerdict[] = []
  backchannel.answerBy(async (request, response) => {
    const chunks: Buffer[] = []
    for await (const chunk of request) chunks.push(chunk)
    const token = new URLSearchParams(Buffer.concat(chunks).toString()).get('logout_token')
    logouts.push(await client.verifyLogoutToken(token))
    response.end()
  })
  return logouts
}

describe('oidc-provider', () => {
  let provider: Listening
  let backchannel: Listening

  beforeAll(async () => {
    backchannel = await listen()
    provider = await openOidcProvider({
      redirectUri,
      postLogoutRedirectUri: `${app}/`,
      backchannelLogoutUri: `${backchannel.origin}/backchannel-logout`,
    })
  })
  afterAll(() => Promise.all([provider?.close(), backchannel?.close()]))

  test('signs in, returns the user, refreshes and revokes tokens, and logs out on the front and back channel', async () => {
    const client = createClient(provider.origin)
    const logouts = listenToLogouts(backchannel, client)
    const { visit } = createRobot(provider.origin, { login: 'ada', password: 'any', logout: 'yes' })
    const verdict = await signIn(client, visit)
    expect(verdict).toMatchObject({
      issuer: provider.origin,
      subject: 'ada',
      claims: { name: 'Ada' },
      email: 'ada@one.example',
      emailVerified: true,
      sid: expect.any(String),
      returnTo: '/inbox',
    })
    const { issuer, subject, tokens } = verdict
    expect(await client.userinfo(tokens.accessToken, { subject })).toMatchObject({ ok: true })

    const renewed = await client.refresh(tokens.refreshToken ?? '', { issuer, subject })
    if (!renewed.ok) throw new Error(renewed.reason)
    expect(renewed.tokens.accessToken).not.toBe(tokens.accessToken)
    const refreshToken = renewed.tokens.refreshToken ?? tokens.refreshToken ?? ''
    expect(await client.revoke(refreshToken)).toBe(true)
    expect(await client.refresh(refreshToken, { issuer, subject })).toEqual({ ok: false, reason: 'refused' })

    const input = { idToken: tokens.idToken, postLogoutRedirectUri: `${app}/`, state: 'bye' }
    expect(`${await visit((await client.logoutUrl(input)) ?? '')}`).toBe(`${app}/?state=bye`)
    await expect.poll(() => logouts.length).toBe(1)
    expect(logouts).toMatchObject([{ ok: true, issuer, subject: 'ada', sid: verdict.sid }])
  })

  test('refuses a code that was redeemed, and a secret that is not the client’s', async () => {
    const { visit } = createRobot(provider.origin, { login: 'eve', password: 'any' })
    const client = createClient(provider.origin)
    const { url, cookie } = await client.begin()
    const callback = await visit(url)
    const wrong = createClient(provider.origin, { clientSecret: 'another-secret', onEvent: () => {} })
    const header = cookie.split(';')[0] ?? ''
    await expect(wrong.finish(callback, header)).rejects.toMatchObject({ code: 'OAUTH_CLIENT_REJECTED' })
    expect(await client.finish(callback, header)).toMatchObject({ ok: true, subject: 'eve' })
    // Another store does not know that the callback was used: the provider knows it of the code.
    const forgetful = createClient(provider.origin)
    expect(await forgetful.finish(callback, header)).toMatchObject({ ok: false, reason: 'code' })
  })
})

describe('the authorization server of this package', () => {
  let provider: ListeningProvider
  let backchannel: Listening
  beforeAll(async () => {
    backchannel = await listen()
    provider = await listenAsProvider(() => ({
      fixedClients: [
        {
          id: 'client',
          name: 'Client',
          authentication: ['client_secret_basic'],
          secret: 'secret-of-client',
          redirectUris: [redirectUri],
          postLogoutRedirectUris: [`${app}/`],
          backchannelLogoutUri: `${backchannel.origin}/backchannel-logout`,
          scopes: ['openid', 'profile', 'email', 'offline_access'],
        },
      ],
      consent: () => 'granted',
      signOut: () => [],
    }))
  })
  afterAll(() => Promise.all([provider?.close(), backchannel?.close()]))

  test('signs in, returns the user, refreshes and revokes tokens, and logs out on the front and back channel', async () => {
    const scopes = ['openid', 'profile', 'email', 'offline_access']
    const client = createClient(provider.issuer.origin, { offline: false, scopes })
    const logouts = listenToLogouts(backchannel, client)
    const visit = (address: string) => provider.visit(new URL(address))
    const verdict = await signIn(client, visit)
    expect(verdict).toMatchObject({
      issuer: provider.issuer.origin,
      subject: 'acc_ada',
      email: 'acc_ada@example.com',
      emailVerified: true,
      amr: ['pwd'],
      authenticatedAt: expect.any(Number),
    })
    const { issuer, subject, tokens } = verdict
    expect(await client.userinfo(tokens.accessToken, { subject })).toMatchObject({ ok: true })
    const renewed = await client.refresh(tokens.refreshToken ?? '', { issuer, subject })
    if (!renewed.ok) throw new Error(renewed.reason)
    expect(await client.revoke(renewed.tokens.refreshToken ?? '')).toBe(true)
    expect(await client.refresh(renewed.tokens.refreshToken ?? '', { issuer, subject })).toEqual({
      ok: false,
      reason: 'refused',
    })
    const input = { idToken: tokens.idToken, postLogoutRedirectUri: `${app}/`, state: 'bye' }
    expect(`${await visit((await client.logoutUrl(input)) ?? '')}`).toBe(`${app}/?state=bye`)
    await provider.server.settled()
    expect(logouts).toMatchObject([{ ok: true, issuer, subject, sid: verdict.sid }])
    expect(verdict.sid).toMatch(/^se_/)
  })
})
