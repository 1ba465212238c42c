import { allowPlainHttpOnLoopback } from '@latchkey/http'
import { allowPublicClient, createOAuthClient, type OAuthClientOptions, providers } from '@latchkey/oauth/client'
import { createMemoryRecordStore } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { openClient, redirectUri, secrets } from './support/open-client.ts'

const records = createMemoryRecordStore()
const right: OAuthClientOptions = {
  provider: providers.openid({ issuer: 'https://one.example', name: 'one' }),
  clientId: 'client',
  clientSecret: 'secret',
  redirectUri,
  records,
  secrets,
}
const { one } = { one: right.provider }
const eventual = { ...records, capabilities: { ...records.capabilities, consistency: 'eventual' } }

describe('an invalid option is refused by its name', () => {
  test.each<readonly [string, string, Readonly<Record<string, unknown>>]>([
    ['no id', 'clientId', { clientId: '' }],
    ['neither secret nor key', 'clientSecret', { clientSecret: undefined }],
    ['secret and key', 'clientSecret', { privateKey: { id: '1', key: {} } }],
    ['an empty secret', 'clientSecret', { clientSecret: '' }],
    ['false in place of a secret', 'clientSecret', { clientSecret: false }],
    ['another symbol in place of a secret', 'clientSecret', { clientSecret: allowPlainHttpOnLoopback }],
    ['a key that is a text', 'privateKey', { clientSecret: undefined, privateKey: { id: '1', key: 'pem' } }],
    ['a secret where a key is needed', 'privateKey', { provider: providers.apple({ teamId: 'TEAM123456' }) }],
    ['a redirect over plain http', 'redirectUri', { redirectUri: 'http://app.example/callback' }],
    ['a redirect with a fragment', 'redirectUri', { redirectUri: `${redirectUri}#a` }],
    ['a relative redirect', 'redirectUri', { redirectUri: '/callback' }],
    ['no records', 'records', { records: undefined }],
    ['records with eventual consistency', 'records', { records: eventual }],
    ['no secrets', 'secrets', { secrets: [] }],
    ['no provider', 'provider', { provider: undefined }],
    ['a provider with a name in capitals', 'provider', { provider: { ...one, name: 'One' } }],
    ['a provider over plain http', 'provider', { provider: { ...one, issuer: 'http://one.example' } }],
    ['a provider with a query', 'provider', { provider: { ...one, issuer: 'https://one.example?a' } }],
    ['unsigned id tokens', 'idTokenAlgorithms', { provider: { ...one, idTokenAlgorithms: ['RS256', 'none'] } }],
    ['id tokens with HS256', 'idTokenAlgorithms', { provider: { ...one, idTokenAlgorithms: ['HS256'] } }],
    ['no algorithms', 'idTokenAlgorithms', { provider: { ...one, idTokenAlgorithms: [] } }],
    ['a state of its own', '"state"', { provider: { ...one, parameters: { state: '1' } } }],
    [
      'a challenge of its own',
      '"code_challenge"',
      { provider: { ...one, offline: { parameters: { code_challenge: '1' } } } },
    ],
    [
      'endpoints over plain http',
      'endpoints',
      { provider: { ...providers.github, userEndpoints: ['http://api.github.com'] } },
    ],
    ['scopes without openid', 'scopes', { scopes: ['email'] }],
    ['a scope with a space', 'scopes', { scopes: ['openid email'] }],
    ['a time limit of zero', 'timeoutMs', { timeoutMs: 0 }],
    ['a time limit of a minute', 'timeoutMs', { timeoutMs: 60_000 }],
    ['a fetch that is a text', 'fetch', { fetch: 'fetch' }],
    ['plain http by true', 'transport', { transport: true }],
    ['a misspelt option', 'redirectURI', { redirectURI: redirectUri }],
  ])('%s', (_title, name, changes) => {
    const options = { ...right, ...changes } as unknown as OAuthClientOptions
    expect(() => createOAuthClient(options)).toThrow(
      expect.objectContaining({ name: 'TypeError', message: expect.stringContaining(name) }),
    )
  })

  test('begin with an age that is no whole number of seconds', async () => {
    const { client } = await openClient()
    for (const maxAgeSeconds of [-1, 1.5, Number.NaN]) {
      await expect(client.begin({ maxAgeSeconds })).rejects.toThrow(/"maxAgeSeconds"/)
    }
  })
})

describe('the authentication of a client', () => {
  const sentBy = async (changes: Partial<OAuthClientOptions>, methods?: readonly string[]) => {
    const opened = await openClient(changes)
    if (methods)
      opened.provider.changes.discovery = (all) => ({ ...all, token_endpoint_auth_methods_supported: methods })
    const verdict = await opened.signIn()
    const sent = opened.provider.asked.find(({ path }) => path === '/token')
    return { verdict, form: sent?.form ?? new URLSearchParams(), authorization: sent?.authorization ?? null }
  }

  test.each([
    ['no method: in the header', undefined, 'header'],
    ['both methods: in the header', ['client_secret_post', 'client_secret_basic'], 'header'],
    ['the form only: in the form', ['client_secret_post'], 'form'],
  ])('a client sends its secret to a provider that names %s', async (_title, methods, place) => {
    const { form, authorization } = await sentBy({}, methods)
    expect(form.get('client_secret')).toBe(place === 'form' ? 'secret-of-client' : null)
    expect(authorization === null).toBe(place === 'form')
  })

  test('a client with a secret is an error at a provider without client secrets, and the secret is not sent', async () => {
    const opened = await openClient()
    const token_endpoint_auth_methods_supported = ['private_key_jwt']
    opened.provider.changes.discovery = (all) => ({ ...all, token_endpoint_auth_methods_supported })
    await expect(opened.signIn()).rejects.toMatchObject({ code: 'OAUTH_PROVIDER_INVALID' })
    expect(opened.provider.count('/token')).toBe(0)
  })

  test('a client with a private key authenticates by an assertion for this provider, valid for a minute', async () => {
    const key = await crypto.subtle.generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, false, ['sign', 'verify'])
    const { verdict, form, authorization } = await sentBy({ privateKey: { id: 'k1', key: key.privateKey } })
    expect(verdict).toMatchObject({ ok: true })
    expect(authorization).toBeNull()
    const { jwtVerify } = await import('jose')
    const { payload, protectedHeader } = await jwtVerify(form.get('client_assertion') ?? '', key.publicKey, {
      audience: 'https://one.example',
      issuer: 'client',
      subject: 'client',
      currentDate: new Date(1_790_000_000_000),
    })
    expect(protectedHeader).toEqual({ alg: 'ES256', kid: 'k1' })
    expect(Number(payload.exp) - Number(payload.iat)).toBe(60)
  })

  test('a client without a secret authenticates by PKCE alone', async () => {
    const { verdict, form, authorization } = await sentBy({ clientSecret: allowPublicClient })
    expect(verdict).toMatchObject({ ok: true })
    expect(authorization).toBeNull()
    expect(form.get('client_id')).toBe('client')
    expect(form.get('client_secret')).toBeNull()
    expect(form.get('code_verifier')).toMatch(/^[\w-]{43}$/)
  })
})

test('a client with allowPlainHttpOnLoopback signs in with a cookie without Secure', async () => {
  const opened = await openClient({ transport: allowPlainHttpOnLoopback })
  const { cookie } = await opened.client.begin()
  expect(cookie).toMatch(/^latchkey-oauth-\d=[\w.-]+; Max-Age=600; Path=\/; HttpOnly; SameSite=Lax$/)
  expect(await opened.signIn()).toMatchObject({ ok: true })
})
