import { createAuthorizationServer } from '@latchkey/oauth/server'
import { StoreError } from '@latchkey/store'
import { expect, test } from 'vitest'
import { createOAuthBench, desk, ended, lives, type OAuthBench } from './support/oauth-bench.ts'

interface Jwk {
  readonly kid: string
  readonly kty: string
  readonly alg: string
}

const headerOf = (token = '') => JSON.parse(Buffer.from(token.split('.')[0] ?? '', 'base64url').toString())

async function publishedBy({ server }: OAuthBench): Promise<readonly Jwk[]> {
  const response = await server.fetch(new Request('https://example.com/jwks'))
  return JSON.parse(await response.text()).keys
}

test("clients' tokens are signed with ES256 by published keys, and the service's tokens by unpublished keys", async () => {
  const bench = createOAuthBench()
  const own = await bench.signedIn('READER', 'TOKEN')
  const given = await bench.give(await bench.signedIn(), { client: desk })
  const published = await publishedBy(bench)
  expect(published.map(({ kty, alg }) => [kty, alg])).toEqual([
    ['EC', 'ES256'],
    ['EC', 'ES256'],
    ['RSA', 'RS256'],
    ['RSA', 'RS256'],
  ])
  expect(JSON.stringify(published)).not.toMatch(/"(?:d|k)":/)
  const [ofAccess, ofId] = [headerOf(given.access_token), headerOf(given.id_token)]
  expect(ofAccess).toMatchObject({ alg: 'ES256', typ: 'at+jwt', kid: published[0]?.kid })
  expect(ofId).toMatchObject({ alg: 'ES256', kid: published[0]?.kid })
  expect(headerOf(own.bearer ?? '')).toMatchObject({ alg: 'HS256' })
})

test('both kinds can have key pairs: each is published, and neither signs for the other', async () => {
  const bench = createOAuthBench({
    options: { sessions: { accessTokens: { algorithm: 'ES256', clientAlgorithm: 'EdDSA' } } },
  })
  const own = await bench.signedIn('READER', 'TOKEN')
  const given = await bench.give(await bench.signedIn(), { client: desk })
  const published = await publishedBy(bench)
  expect(published.map(({ alg }) => alg).sort()).toEqual([...['ES256', 'ES256', 'EdDSA', 'EdDSA', 'RS256', 'RS256']])
  expect(new Set(published.map(({ kid }) => kid)).size).toBe(6)
  const algorithmOf = (kid: string) => published.find((key) => key.kid === kid)?.alg
  expect(algorithmOf(headerOf(own.bearer ?? '').kid)).toBe('ES256')
  expect(algorithmOf(headerOf(given.access_token).kid)).toBe('EdDSA')
})

test("a symmetric algorithm is refused for clients' tokens, because other services cannot verify it", () => {
  expect(() =>
    createOAuthBench({ options: { sessions: { accessTokens: { clientAlgorithm: 'HS256' as 'ES256' } } } }),
  ).toThrow('"sessions.accessTokens.clientAlgorithm" must be one of ES256, EdDSA, RS256, PS256')
})

test('a rotation changes one key of both rings, and earlier tokens are valid until they expire', async () => {
  const bench = createOAuthBench()
  const owner = await bench.signedIn()
  const before = await bench.give(owner, { client: desk, scope: 'openid offline_access' })
  bench.advance(901)
  const form = { grant_type: 'refresh_token', client_id: desk.id, client_secret: 'secret-of-the-desk' }
  const refreshed = JSON.parse((await bench.token({ ...form, refresh_token: before.refresh_token ?? '' })).text)
  const { keyId } = await bench.server.rotateKeys()
  const rotated = bench.events.flatMap((event) => (event.type === 'key.rotated' ? [event.keyId] : []))
  expect(rotated).toHaveLength(2)
  expect(rotated).toContain(keyId)
  const after = await bench.give(owner, { client: desk })
  const own = await bench.signedIn('READER', 'TOKEN')
  expect(headerOf(own.bearer ?? '').kid).toBe(keyId)
  expect(rotated).toContain(headerOf(after.access_token).kid)
  expect(headerOf(after.access_token).kid).not.toBe(headerOf(refreshed.access_token).kid)
  expect(await bench.livesAt(refreshed.access_token)).toEqual(lives)
  const published = await publishedBy(bench)
  expect(published.map(({ kid }) => kid)).toEqual(
    expect.arrayContaining([headerOf(refreshed.access_token).kid, headerOf(after.access_token).kid]),
  )
})

test('a rotation that is too early for the own ring changes neither', async () => {
  const bench = createOAuthBench({ options: { sessions: { accessTokens: { algorithm: 'ES256' } } } })
  const owner = await bench.signedIn('READER', 'TOKEN')
  const browser = await bench.signedIn()
  const before = await bench.give(browser, { client: desk })
  await expect(bench.server.rotateKeys()).rejects.toThrow('the next key may sign from')
  const own = await bench.signedIn('READER', 'TOKEN')
  expect(headerOf(own.bearer ?? '').kid).toBe(headerOf(owner.bearer ?? '').kid)
  expect(headerOf((await bench.give(browser, { client: desk })).access_token).kid).toBe(
    headerOf(before.access_token).kid,
  )
})

test('a rotation keeps the keys of clients while their next key is too young to sign', async () => {
  const bench = createOAuthBench()
  const browser = await bench.signedIn()
  const before = await bench.give(browser, { client: desk })
  const { keyId } = await bench.server.rotateKeys()
  expect(headerOf((await bench.signedIn('READER', 'TOKEN')).bearer ?? '').kid).toBe(keyId)
  expect(bench.events.filter(({ type }) => type === 'key.rotated')).toHaveLength(1)
  expect(headerOf((await bench.give(browser, { client: desk })).access_token).kid).toBe(
    headerOf(before.access_token).kid,
  )
})

test('after a leak every token of both rings is refused', async () => {
  const bench = createOAuthBench()
  const own = await bench.signedIn('READER', 'TOKEN')
  const browser = await bench.signedIn()
  const before = await bench.give(browser, { client: desk, scope: 'openid offline_access' })
  await bench.server.replaceKeys()
  expect((await own.ask('{ viewer { id } }')).status).toBe(401)
  expect(await bench.livesAt(before.access_token)).toEqual(ended)
  const form = { grant_type: 'refresh_token', client_id: desk.id, client_secret: 'secret-of-the-desk' }
  const next = JSON.parse((await bench.token({ ...form, refresh_token: before.refresh_token ?? '' })).text)
  expect(await bench.livesAt(next.access_token)).toEqual(lives)
})

const down = () => new StoreError('STORE_UNAVAILABLE', 'down')

const rsaDesk = { ...desk, idTokenSignedResponseAlg: 'RS256' } as const

const openRsaBench = () =>
  createOAuthBench({
    options: {
      oauth: (parts) => createAuthorizationServer({ ...parts, fixedClients: [rsaDesk], consent: () => 'granted' }),
    },
  })

/** Whether a published key of RS256 has signed a token, by Web Crypto. */
async function isSignedByRsa(bench: OAuthBench, token = ''): Promise<boolean> {
  const jwk = (await publishedBy(bench)).find(({ kid, alg }) => kid === headerOf(token).kid && alg === 'RS256')
  const rsa = { name: 'RSASSA-PKCS1-v1_5', hash: 'SHA-256' }
  const key = await crypto.subtle.importKey('jwk', jwk as JsonWebKey, rsa, false, ['verify'])
  const [signed, signature = ''] = token.split(/\.(?=[^.]*$)/)
  return crypto.subtle.verify(rsa.name, key, Buffer.from(signature, 'base64url'), Buffer.from(signed ?? ''))
}

test('a client with RS256 gets RS256 id tokens and ES256 access tokens, which cannot be exchanged', async () => {
  const bench = openRsaBench()
  const owner = await bench.signedIn()
  const given = await bench.give(owner, { client: rsaDesk })
  expect([given.access_token, given.id_token].map((token) => headerOf(token).alg)).toEqual(['ES256', 'RS256'])
  expect(await isSignedByRsa(bench, given.id_token)).toBe(true)
  expect(await bench.livesAt(given.access_token)).toEqual(lives)
  expect(await bench.livesAt(given.id_token ?? '')).toEqual(ended)
  const discovered = await bench.visitor().get('/.well-known/openid-configuration')
  expect(JSON.parse(discovered.text).id_token_signing_alg_values_supported).toEqual(['ES256', 'RS256'])
})

test('a rotation changes the keys of both algorithms, and id tokens of before are verified by the published keys', async () => {
  const bench = openRsaBench()
  const owner = await bench.signedIn()
  const before = await bench.give(owner, { client: rsaDesk })
  bench.advance(899)
  const late = await bench.signedIn()
  bench.advance(2)
  await bench.server.rotateKeys()
  expect(bench.events.filter(({ type }) => type === 'key.rotated')).toHaveLength(3)
  const after = await bench.give(late, { client: rsaDesk })
  const kids = [before, after].map(({ id_token }) => headerOf(id_token).kid)
  expect(new Set(kids).size).toBe(2)
  for (const { id_token } of [before, after]) expect(await isSignedByRsa(bench, id_token)).toBe(true)
})

test('RS256 keys are created when the service opens, and an outage meanwhile is a 503', async () => {
  let isDown = false
  const bench = createOAuthBench({
    around: (call, run) => (isDown && call.startsWith('documents.') ? Promise.reject(down()) : run()),
  })
  const rsaKeys = async () =>
    (await bench.stores.documents.list('signing-key')).items.filter(({ value }) => value.includes('"RS256"'))
  const home = () => bench.visitor().get('/sign-in')
  expect([(await home()).status, (await rsaKeys()).length]).toEqual([200, 0])
  isDown = true
  expect((await bench.visitor().get('/jwks')).status).toBe(503)
  await expect(bench.server.open()).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  isDown = false
  await bench.server.open()
  expect(await rsaKeys()).toHaveLength(2)
  expect(await publishedBy(bench)).toHaveLength(4)
})
