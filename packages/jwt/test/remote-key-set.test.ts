import { createServer, type RequestListener, type Server } from 'node:http'
import {
  createJwtSigner,
  createJwtVerifier,
  createKeyRing,
  createRemoteKeySet,
  generateJwtKey,
  type Jwks,
  type JwtAlgorithm,
  type KeyRing,
} from '@latchkey/jwt'
import { expectWithin, startStopwatch } from '@latchkey/test-services'
import { afterEach, beforeEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { audience, issuer, seconds, secret } from './forge-token.ts'

const url = `${issuer}/jwks`
let time: number
let ring: KeyRing
let fetches: { url: string; init: RequestInit | undefined }[]
let answer: () => Response | Promise<Response>
const now = () => time
const advance = (by: number) => {
  time += by * 1000
}
const fetch: typeof globalThis.fetch = async (input, init) => {
  fetches.push({ url: String(input), init })
  return answer()
}

beforeEach(async () => {
  time = seconds * 1000
  fetches = []
  ring = createKeyRing({ keys: [await generateJwtKey('ES256')], now })
  answer = async () => Response.json(await ring.jwks())
})

type Options = Parameters<typeof createRemoteKeySet>[0]
const create = (options: Partial<Options> = {}) => createRemoteKeySet({ url, fetch, now, ...options })
const all = ['ES256', 'RS256', 'PS256', 'EdDSA', 'HS256'] as const
const createVerifier = (keys = create()) => createJwtVerifier({ issuer, audience, algorithms: all, keys, now })
const sign = async (keys: KeyRing = ring) =>
  (await createJwtSigner({ issuer, audience, keys, now }).sign({ sub: 'acc_1' })).token

describe('a remote key set', () => {
  test('fetches no keys when it is created, and the published keys on first use, once for all callers', async () => {
    const verifier = createVerifier()
    expect(fetches).toEqual([])
    const token = await sign()
    const verdicts = await Promise.all(Array.from({ length: 20 }, () => verifier.verify(token)))
    expect(verdicts.every(({ ok }) => ok)).toBe(true)
    expect(fetches).toHaveLength(1)
    expect(fetches[0]).toMatchObject({ url, init: { redirect: 'manual', signal: expect.any(AbortSignal) } })
  })

  test.each(['ES256', 'RS256', 'PS256', 'EdDSA'] as const)('verifies %s', async (algorithm) => {
    const other = createKeyRing({ keys: [await generateJwtKey(algorithm)], now })
    answer = async () => Response.json(await other.jwks())
    expect((await createVerifier().verify(await sign(other))).ok).toBe(true)
  })

  test('finds a new key at its first token, and fetches for unknown ids at most once in 30 s', async () => {
    const verifier = createVerifier()
    await verifier.verify(await sign())
    await ring.rotate()
    const token = await sign()
    expect(await verifier.verify(token)).toEqual({ ok: false, reason: 'key' })
    advance(29)
    for (let turn = 0; turn < 50; turn++) await verifier.verify(token)
    expect(fetches).toHaveLength(1)
    advance(1)
    const verdicts = await Promise.all(Array.from({ length: 50 }, () => verifier.verify(token)))
    expect(verdicts.every(({ ok }) => ok)).toBe(true)
    expect(fetches).toHaveLength(2)
  })

  test('fetches again in the background from half its age on, so that no caller waits', async () => {
    const verifier = createVerifier()
    const token = await sign()
    await verifier.verify(token)
    advance(301)
    answer = () => new Promise(() => undefined)
    expect((await verifier.verify(token)).ok).toBe(true)
    expect((await verifier.verify(token)).ok).toBe(true)
    expect(fetches).toHaveLength(2)
  })

  test('is read in any number of chunks', async () => {
    const bytes = new TextEncoder().encode(JSON.stringify(await ring.jwks()))
    const inPieces = new ReadableStream({
      start(controller) {
        for (let at = 0; at < bytes.length; at += 7) controller.enqueue(bytes.slice(at, at + 7))
        controller.close()
      },
    })
    answer = () => new Response(inPieces)
    expect((await createVerifier().verify(await sign())).ok).toBe(true)
  })

  test('drops a key that is no longer published', async () => {
    const verifier = createVerifier()
    const other = createKeyRing({ keys: [await generateJwtKey('ES256')], now })
    await verifier.verify(await sign())
    answer = async () => Response.json(await other.jwks())
    advance(600)
    expect(await verifier.verify(await sign())).toEqual({ ok: false, reason: 'key' })
    expect((await verifier.verify(await sign(other))).ok).toBe(true)
  })

  test('uses keys without alg for the algorithm of their type, and without kid for tokens without kid', async () => {
    const keys = await Promise.all((['RS256', 'ES256', 'EdDSA'] as const).map(generateJwtKey))
    const { keys: published } = await createKeyRing({ keys: keys as [(typeof keys)[number]] }).jwks()
    answer = () => Response.json({ keys: published.map(({ kty, n, e, crv, x, y }) => ({ kty, n, e, crv, x, y })) })
    const remote = create()
    for (const algorithm of ['RS256', 'ES256', 'EdDSA'] as const) {
      expect(await remote.find({ id: null, algorithm })).toMatchObject({ algorithm, canSign: false })
    }
    expect(await remote.find({ id: null, algorithm: 'PS256' })).toBeNull()
  })
})

describe('a published key is ignored', () => {
  const publish = async (alter: (jwk: Record<string, unknown>) => unknown, algorithm: JwtAlgorithm = 'ES256') => {
    const other = createKeyRing({ keys: [await generateJwtKey(algorithm)], now })
    const [jwk] = (await other.jwks()).keys
    const [good] = (await ring.jwks()).keys
    answer = () => Response.json({ keys: [alter({ ...jwk }), good] })
    const verifier = createVerifier()
    expect((await verifier.verify(await sign())).ok).toBe(true)
    return verifier.verify(await sign(other))
  }

  test.each<[string, (jwk: Record<string, unknown>) => unknown]>([
    ['that is for encryption', (jwk) => ({ ...jwk, use: 'enc' })],
    ['of an algorithm that is not spoken', (jwk) => ({ ...jwk, alg: 'ES512' })],
    ['of another algorithm', (jwk) => ({ ...jwk, alg: 'RS256' })],
    ['off its curve', (jwk) => ({ ...jwk, y: jwk.x })],
    ['with another id', (jwk) => ({ ...jwk, kid: 'other' })],
    ['with an id that is no text', (jwk) => ({ ...jwk, kid: 1 })],
    ['that is null', () => null],
    ['that is a text', () => 'key'],
    ['that is a list', () => []],
  ])('%s', async (_what, alter) => {
    expect(await publish(alter)).toEqual({ ok: false, reason: 'key' })
  })

  test('if it is weak', async () => {
    expect(await publish((jwk) => ({ ...jwk, e: 'Aw' }), 'RS256')).toEqual({ ok: false, reason: 'key' })
  })

  test('if it is symmetric, with any alg', async () => {
    const k = Buffer.from(secret).toString('base64url')
    const keys = ['HS256', undefined, 'RS256'].map((alg, index) => ({ kty: 'oct', k, alg, kid: `hmac-${index}` }))
    answer = () => Response.json({ keys })
    const remote = create()
    for (const { kid } of keys) {
      expect(await remote.find({ id: kid, algorithm: 'HS256' })).toBeNull()
      expect(await remote.find({ id: kid, algorithm: 'RS256' })).toBeNull()
    }
  })

  test('except for its public members, if it is private: it verifies and cannot sign', async () => {
    const { privateKey } = await crypto.subtle
      .generateKey({ name: 'ECDSA', namedCurve: 'P-256' }, true, ['sign', 'verify'])
      .then((pair) => pair as CryptoKeyPair)
    const jwk = await crypto.subtle.exportKey('jwk', privateKey)
    answer = () =>
      Response.json({ keys: [{ kty: jwk.kty, crv: jwk.crv, x: jwk.x, y: jwk.y, d: jwk.d, kid: 'leaked' }] })
    expect(await create().find({ id: 'leaked', algorithm: 'ES256' })).toMatchObject({ canSign: false })
  })
})

describe('a key set that is not available is no verdict', () => {
  const many = async (): Promise<Jwks> => ({ keys: Array.from({ length: 101 }, () => ({ kty: 'EC' })) as never })
  test.each<[string, () => Response | Promise<Response>]>([
    ['no connection', () => Promise.reject(new TypeError('fetch failed'))],
    ['an error status', () => new Response('{"keys":[]}', { status: 500 })],
    ['not found', () => new Response('{"keys":[]}', { status: 404 })],
    ['nothing new', () => new Response(null, { status: 304 })],
    ['a redirect', () => Response.redirect('https://evil.example/jwks')],
    ['no body', () => new Response(null)],
    ['HTML', () => new Response('<html>')],
    ['half of it', () => new Response('{"keys":[')],
    ['a list', () => Response.json([])],
    ['no keys', () => Response.json({})],
    ['keys that are an object', () => Response.json({ keys: {} })],
    ['keys twice', () => new Response('{"keys":[],"keys":[]}')],
    ['too many keys', async () => Response.json(await many())],
    ['too many bytes', () => new Response(`{"keys":[],"x":"${'x'.repeat(300_000)}"}`)],
    ['a body that fails', () => new Response(new ReadableStream({ pull: () => Promise.reject(new Error('reset')) }))],
  ])('%s', async (_what, given) => {
    answer = given
    const made = createVerifier().verify(await sign())
    await expect(made).rejects.toMatchObject({
      name: 'JwtError',
      code: 'JWT_KEYS_UNAVAILABLE',
      cause: expect.anything(),
    })
  })

  test.each([200, 500])('an endless body: it is cancelled (status %d)', async (status) => {
    let isCancelled = false
    const body = new ReadableStream({
      pull: (controller) => controller.enqueue(new Uint8Array(65_536)),
      cancel: () => {
        isCancelled = true
      },
    })
    answer = () => new Response(body, { status })
    await expect(createVerifier().verify(await sign())).rejects.toMatchObject({ code: 'JWT_KEYS_UNAVAILABLE' })
    expect(isCancelled).toBe(true)
  })

  test.each<[string, () => Response | Promise<Response>]>([
    ['that never comes', () => new Promise(() => undefined)],
    [
      'whose body never ends',
      () => new Response(new ReadableStream({ start: (to) => to.enqueue(new Uint8Array([123])) })),
    ],
  ])('an answer %s is given up within 50 ms of the deadline', async (what, given) => {
    answer = given
    const times: number[] = []
    for (let attempt = 0; attempt < 3; attempt++) {
      const token = await sign()
      const verifier = createVerifier(create({ timeoutMs: 100 }))
      const elapsed = startStopwatch(100)
      await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'JWT_KEYS_UNAVAILABLE' })
      times.push(elapsed())
    }
    expect(Math.min(...times)).toBeGreaterThan(90)
    expectWithin(150, `an answer ${what}, deadline of 100 ms: given up after`, times)
  })

  test('a response whose body never finishes is cancelled at the deadline', async () => {
    let isCancelled = false
    const body = new ReadableStream({
      start: (to) => to.enqueue(new Uint8Array([123])),
      cancel() {
        isCancelled = true
      },
    })
    answer = () => new Response(body)
    const verifier = createVerifier(create({ timeoutMs: 100 }))
    await expect(verifier.verify(await sign())).rejects.toMatchObject({ code: 'JWT_KEYS_UNAVAILABLE' })
    await expect.poll(() => isCancelled).toBe(true)
  })

  test('if it never responds, at the deadline by the timers of the platform', async () => {
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
    onTestFinished(() => void vi.useRealTimers())
    answer = () => new Promise(() => undefined)
    const verdict = createVerifier(create({ timeoutMs: 60_000 })).verify(await sign())
    const judged = expect(verdict).rejects.toMatchObject({ code: 'JWT_KEYS_UNAVAILABLE' })
    while (fetches.length === 0) await new Promise((resolve) => void setImmediate(resolve))
    await vi.advanceTimersByTimeAsync(59_999)
    expect(fetches[0]?.init?.signal?.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await judged
    expect(fetches[0]?.init?.signal?.reason).toMatchObject({ name: 'TimeoutError' })
  })

  test('if it responds with 503, and it is fetched at most once a second', async () => {
    answer = () => new Response(null, { status: 503 })
    const verifier = createVerifier()
    const token = await sign()
    for (let turn = 0; turn < 20; turn++) await expect(verifier.verify(token)).rejects.toThrow()
    expect(fetches).toHaveLength(1)
    answer = async () => Response.json(await ring.jwks())
    advance(1)
    expect((await verifier.verify(token)).ok).toBe(true)
    expect(fetches).toHaveLength(2)
  })

  test('for an unknown id, while known ids are verified', async () => {
    const verifier = createVerifier()
    const known = await sign()
    await verifier.verify(known)
    await ring.rotate()
    const unknown = await sign()
    advance(30)
    answer = () => new Response(null, { status: 503 })
    for (let turn = 0; turn < 5; turn++) {
      await expect(verifier.verify(unknown)).rejects.toMatchObject({ code: 'JWT_KEYS_UNAVAILABLE' })
      expect((await verifier.verify(known)).ok).toBe(true)
    }
    expect(fetches).toHaveLength(2)
  })

  test('once the known keys are too old', async () => {
    const verifier = createVerifier()
    const token = await sign()
    await verifier.verify(token)
    answer = () => new Response(null, { status: 503 })
    advance(599)
    expect((await verifier.verify(token)).ok).toBe(true)
    advance(1)
    await expect(verifier.verify(token)).rejects.toMatchObject({ code: 'JWT_KEYS_UNAVAILABLE' })
  })
})

describe('the URL', () => {
  test.each([
    'http://id.example.com/jwks',
    'http://127.0.0.1.example.com/jwks',
    'http://localhost.example.com/jwks',
    'http://10.0.0.1/jwks',
    'ftp://localhost/jwks',
    'file:///etc/jwks',
    'data:application/json,{"keys":[]}',
    'https://user:password@id.example.com/jwks',
    'https://user@id.example.com/jwks',
    'https://:password@id.example.com/jwks',
    '/jwks',
    'id.example.com/jwks',
    '',
  ])('%j is refused', (refused) => {
    expect(() => create({ url: refused })).toThrow(TypeError)
    expect(() => create({ url: refused })).toThrow('"url"')
  })

  test.each([
    'https://id.example.com/jwks',
    'http://localhost:4000/jwks',
    'http://127.0.0.1/jwks',
    'http://[::1]:80/jwks',
  ])('%j is accepted', (accepted) => {
    expect(() => create({ url: accepted })).not.toThrow()
    expect(() => create({ url: new URL(accepted) })).not.toThrow()
  })

  test.each([
    ['cooldownSeconds', 0],
    ['maxAgeSeconds', 0],
    ['timeoutMs', 0],
    ['cooldownSeconds', 1.5],
    ['timeoutMs', 1.5],
    ['timeoutMs', 60_001],
    ['timeoutMs', Number.POSITIVE_INFINITY],
    ['fetch', 'fetch'],
  ])('an option that is out of range is refused: %s %j', (name, value) => {
    expect(() => create({ [name]: value })).toThrow(`"${name}"`)
  })
})

describe('over a real connection', () => {
  let server: Server
  const listen = async (listener: RequestListener): Promise<string> => {
    server = createServer(listener)
    await new Promise<void>((resolve) => {
      server.listen(0, '127.0.0.1', resolve)
    })
    const address = server.address()
    return `http://127.0.0.1:${typeof address === 'object' && address?.port}/jwks`
  }
  afterEach(() => {
    server.closeAllConnections()
    server.close()
  })

  test('the platform fetches the keys', async () => {
    const address = await listen(async (_request, response) => response.end(JSON.stringify(await ring.jwks())))
    const verifier = createVerifier(createRemoteKeySet({ url: address, now }))
    expect((await verifier.verify(await sign())).ok).toBe(true)
  })

  test('a redirect is not followed', async () => {
    const targets: unknown[] = []
    const address = await listen((request, response) => {
      targets.push(request.url)
      response.writeHead(302, { location: '/elsewhere' }).end()
    })
    const verifier = createVerifier(createRemoteKeySet({ url: address, now }))
    await expect(verifier.verify(await sign())).rejects.toMatchObject({ code: 'JWT_KEYS_UNAVAILABLE' })
    expect(targets).toEqual(['/jwks'])
  })
})
