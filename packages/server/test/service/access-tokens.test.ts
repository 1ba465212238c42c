import { createJwtVerifier, createRemoteKeySet } from '@latchkey/jwt'
import { StoreError } from '@latchkey/store'
import { describe, expect, test } from 'vitest'
import { type Bench, createBench, createMemoryStores } from '../support/bench.ts'

const viewer = '{ viewer { id } }'
const headerOf = (token: string | null) => JSON.parse(Buffer.from(token?.split('.')[0] ?? '', 'base64url').toString())

async function jwksOf({ server }: Bench, init: RequestInit = {}) {
  const response = await server.fetch(new Request('https://example.com/jwks', init))
  const text = await response.text()
  return { status: response.status, headers: response.headers, text }
}
const keysIn = ({ text }: { readonly text: string }): readonly Record<string, string>[] => JSON.parse(text).keys

/** A service elsewhere, which knows nothing of this one but its address. */
function verifierElsewhere({ server, clock }: Bench) {
  const now = () => clock.time
  const keys = createRemoteKeySet({
    url: 'https://example.com/jwks',
    fetch: (url, init) => server.fetch(new Request(url as string, init)),
    now,
  })
  const [issuer, audience] = ['https://example.com', 'https://example.com']
  return createJwtVerifier({ issuer, audience, algorithms: ['RS256', 'PS256', 'ES256', 'EdDSA'], keys, now })
}

describe.each(['RS256', 'PS256', 'ES256', 'EdDSA'] as const)('access tokens by %s', (algorithm) => {
  test('are accepted here, and verified elsewhere by the public keys alone', async () => {
    const bench = createBench({ options: { sessions: { accessTokens: { algorithm } } } })
    const visitor = await bench.signedIn('AUTHOR', 'TOKEN')
    expect(headerOf(visitor.bearer)).toMatchObject({ alg: algorithm, typ: 'JWT' })
    expect((await visitor.ask(viewer)).status).toBe(200)
    const verdict = await verifierElsewhere(bench).verify(visitor.bearer)
    expect(verdict).toMatchObject({ ok: true, claims: { sub: visitor.account.id, role: 'AUTHOR' } })
  })

  test('have public keys at /jwks: the current and the next key, without private parts', async () => {
    const bench = createBench({ options: { sessions: { accessTokens: { algorithm } } } })
    const { bearer } = await bench.signedIn('READER', 'TOKEN')
    const keys = keysIn(await jwksOf(bench))
    expect(keys).toHaveLength(2)
    expect(keys[0]).toMatchObject({ kid: headerOf(bearer).kid, alg: algorithm, use: 'sig' })
    for (const key of keys) {
      for (const name of ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k']) expect(key).not.toHaveProperty(name)
    }
  })
})

test('by default access tokens are symmetric, and no key is published', async () => {
  const bench = createBench()
  expect(headerOf((await bench.signedIn('READER', 'TOKEN')).bearer).alg).toBe('HS256')
  expect(await jwksOf(bench)).toMatchObject({ status: 200, text: '{"keys":[]}' })
})

describe('/jwks', () => {
  test('may be kept by caches and read by every page, without cookies', async () => {
    const bench = createBench()
    const { status, headers } = await jwksOf(bench, { headers: { origin: 'https://anyone.example' } })
    expect(status).toBe(200)
    expect(headers.get('content-type')).toBe('application/jwk-set+json')
    expect(headers.get('cache-control')).toBe('public, max-age=180')
    expect(headers.get('access-control-allow-origin')).toBe('*')
    expect(headers.get('access-control-allow-credentials')).toBeNull()
    expect(headers.get('vary')).toBeNull()
    expect(headers.get('x-content-type-options')).toBe('nosniff')
  })

  test.each([
    [{ jwksMaxAgeSeconds: 30 }, 'public, max-age=30'],
    [{ jwksMaxAgeSeconds: 0 }, 'public, max-age=0'],
    [{ publishAheadSeconds: 100 }, 'public, max-age=20'],
  ])('is cached for %j', async (accessTokens, expected) => {
    const { headers } = await jwksOf(createBench({ options: { sessions: { accessTokens } } }))
    expect(headers.get('cache-control')).toBe(expected)
  })

  test('answers GET and HEAD alone', async () => {
    const bench = createBench()
    expect(await jwksOf(bench, { method: 'HEAD' })).toMatchObject({ status: 200, text: '' })
    const { status, headers } = await jwksOf(bench, { method: 'POST' })
    expect([status, headers.get('allow')]).toEqual([405, 'GET, HEAD'])
  })

  test('is 503 while the stores are down, and never an empty set', async () => {
    const check = () => Promise.reject(new StoreError('STORE_UNAVAILABLE', '10.0.0.7 is down'))
    const bench = createBench({ options: { stores: { ...createMemoryStores(), check } } })
    const { status, headers, text } = await jwksOf(bench)
    expect([status, text, headers.get('retry-after'), headers.get('cache-control')]).toEqual([503, '', '5', 'no-store'])
    expect(bench.events.at(-1)).toMatchObject({ type: 'service.failed', during: 'jwks' })
  })

  test('is for served hosts', async () => {
    const { server } = createBench()
    expect((await server.fetch(new Request('https://evil.example/jwks'))).status).toBe(421)
  })
})

describe('a rotation of published keys', () => {
  const accessTokens = { algorithm: 'ES256' } as const

  test('is refused before services elsewhere know the next key, and then breaks no verification there', async () => {
    const bench = createBench({ options: { sessions: { accessTokens } } })
    const elsewhere = verifierElsewhere(bench)
    const before = await bench.signedIn('READER', 'TOKEN')
    expect((await elsewhere.verify(before.bearer)).ok).toBe(true)
    await expect(bench.server.rotateKeys()).rejects.toMatchObject({ code: 'JWT_ROTATION_TOO_EARLY' })
    expect(bench.events.map(({ type }) => type)).not.toContain('key.rotated')
    bench.advance(450)
    const { bearer } = await bench.signedIn('READER', 'TOKEN')
    expect((await elsewhere.verify(bearer)).ok).toBe(true)
    bench.advance(451)
    const { keyId } = await bench.server.rotateKeys()
    const after = await bench.signedIn('READER', 'TOKEN')
    expect(headerOf(after.bearer).kid).toBe(keyId)
    for (const token of [bearer, after.bearer]) expect((await elsewhere.verify(token)).ok).toBe(true)
  })

  test('is followed by other processes, whose tokens stay valid', async () => {
    const bench = createBench({ options: { sessions: { accessTokens } } })
    const other = createBench({ beside: bench, options: { sessions: { accessTokens } } })
    await other.server.open()
    bench.advance(901)
    const { keyId } = await bench.server.rotateKeys()
    for (const { bearer } of [await bench.signedIn('READER', 'TOKEN'), await other.signedIn('READER', 'TOKEN')]) {
      for (const { visitor } of [bench, other]) {
        expect((await Object.assign(visitor(), { bearer }).ask(viewer)).status).toBe(200)
      }
    }
    bench.advance(60)
    expect(headerOf((await other.signedIn('READER', 'TOKEN')).bearer).kid).toBe(keyId)
  })
})

test('after a leak replaceKeys refuses every token from before and no session, and is an event', async () => {
  const bench = createBench({ options: { sessions: { accessTokens: { algorithm: 'ES256' } } } })
  const [tokens, session] = [await bench.signedIn('READER', 'TOKEN'), await bench.signedIn('READER')]
  const { keyId } = await bench.server.replaceKeys()
  expect(bench.events.at(-1)).toMatchObject({ type: 'key.replaced', at: bench.clock.time, keyId })
  expect((await tokens.ask(viewer)).status).toBe(401)
  expect((await session.ask(viewer)).status).toBe(200)
  tokens.bearer = null
  const { data } = await tokens.ask('mutation { refresh { accessToken } }')
  expect(headerOf(data.refresh.accessToken).kid).toBe(keyId)
  tokens.bearer = data.refresh.accessToken
  expect((await tokens.ask(viewer)).status).toBe(200)
  expect(keysIn(await jwksOf(bench)).map(({ kid }) => kid)).toContain(keyId)
})

test('a change of the algorithm keeps earlier tokens valid, even while other processes have the earlier algorithm', async () => {
  const bench = createBench()
  const newer = createBench({ beside: bench, options: { sessions: { accessTokens: { algorithm: 'ES256' } } } })
  const before = await bench.signedIn('READER', 'TOKEN')
  const after = await newer.signedIn('READER', 'TOKEN')
  expect([before, after].map(({ bearer }) => headerOf(bearer).alg)).toEqual(['HS256', 'ES256'])
  for (const { bearer } of [before, after]) {
    for (const { visitor } of [bench, newer]) {
      expect((await Object.assign(visitor(), { bearer }).ask(viewer)).status).toBe(200)
    }
  }
})

test('a server exposes its signing options, with the defaults', () => {
  expect(createBench().server.accessTokens).toEqual({
    algorithm: 'HS256',
    clientAlgorithm: 'ES256',
    publishAheadSeconds: 900,
    jwksMaxAgeSeconds: 180,
    maxStalenessSeconds: 0,
    refreshSeconds: 60,
  })
  const { server } = createBench({
    options: { sessions: { accessTokens: { algorithm: 'EdDSA', publishAheadSeconds: 4 } } },
  })
  expect(server.accessTokens).toEqual({
    algorithm: 'EdDSA',
    clientAlgorithm: 'ES256',
    publishAheadSeconds: 4,
    jwksMaxAgeSeconds: 0,
    maxStalenessSeconds: 0,
    refreshSeconds: 1,
  })
})

test.each([
  [
    'createServer has no option "sessions.accessTokens.algorithms". Did you mean "sessions.accessTokens.algorithm"?',
    { algorithms: ['ES256'] },
  ],
  ['"sessions.accessTokens.algorithm" must be one of', { algorithm: 'none' }],
  ['"sessions.accessTokens.algorithm" must be one of', { algorithm: 'ES512' }],
  ['"sessions.accessTokens.algorithm" must be one of', { algorithm: null }],
  ['"sessions.accessTokens.publishAheadSeconds" must be a whole number of seconds from 2', { publishAheadSeconds: 1 }],
  ['"sessions.accessTokens.publishAheadSeconds" must be', { publishAheadSeconds: '15m' }],
  [
    '"sessions.accessTokens.jwksMaxAgeSeconds" must be a whole number of seconds from 0 to 899',
    { jwksMaxAgeSeconds: 900 },
  ],
  ['"sessions.accessTokens.jwksMaxAgeSeconds" must be', { jwksMaxAgeSeconds: -1 }],
  ['"sessions.accessTokens.maxStalenessSeconds" must be', { maxStalenessSeconds: 3601 }],
])('a server is refused at once: %s %j', (message, accessTokens) => {
  const create = () => createBench({ options: { sessions: { accessTokens: accessTokens as never } } })
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})
