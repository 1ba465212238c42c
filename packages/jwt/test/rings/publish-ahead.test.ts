import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { createJwtSigner, createJwtVerifier, createRemoteKeySet, openKeyRing, type StoredKeyRing } from '@latchkey/jwt'
import { listKeys } from '@latchkey/jwt/internal'
import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import { beforeEach, describe, expect, test } from 'vitest'
import { audience, issuer, seconds } from '../forge-token.ts'
import { keysIn } from './keys-in-documents.ts'

const secrets: SecretKeys = [{ id: '2026-01', bytes: randomBytes(32) }]
const algorithms = ['HS256', 'RS256', 'PS256', 'ES256', 'EdDSA'] as const
let documents: DocumentStore
let store: ReturnType<typeof keysIn>
let time: number
const now = () => time
const advance = (by: number) => {
  time += by * 1000
}

beforeEach(() => {
  time = seconds * 1000
  documents = createMemoryDocumentStore()
  store = keysIn(documents)
})

type Options = Parameters<typeof openKeyRing>[0]
const open = (options: Partial<Options> = {}) =>
  openKeyRing({ documents, secrets, algorithm: 'ES256', now, ...options })
const sign = async (keys: StoredKeyRing) => {
  const { token } = await createJwtSigner({ issuer, audience, keys, now }).sign({ sub: 'acc_1' })
  return token
}
const judge = async (keys: StoredKeyRing, token: string) => {
  const verdict = await createJwtVerifier({ issuer, audience, algorithms, keys, now }).verify(token)
  return verdict.ok ? 'ok' : verdict.reason
}
const idsOf = async () => (await store.list()).map(({ id, retiredAt }) => [id, retiredAt])

/** A service elsewhere, which knows nothing but the published set. */
function createVerifierElsewhere(ring: () => StoredKeyRing, { maxAgeSeconds, cooldownSeconds = 30 }: Ages) {
  let isFetched = false
  const keys = createRemoteKeySet({
    url: `${issuer}/jwks`,
    async fetch() {
      isFetched = true
      return Response.json(await ring().jwks())
    },
    maxAgeSeconds,
    cooldownSeconds,
    timeoutMs: 60_000,
    now,
  })
  const verifier = createJwtVerifier({ issuer, audience, algorithms: ['ES256', 'EdDSA'], keys, now })
  const verify = async (token: string) => {
    const verdict = await verifier.verify(token)
    return verdict.ok ? 'ok' : verdict.reason
  }
  /** Ends when a set that was fetched in the background is used: a key that is in none waits for it, and fetches no other. */
  const settle = async () => {
    if (isFetched) await keys.find({ id: 'none', algorithm: 'ES256' })
    isFetched = false
  }
  return Object.assign(verify, { settle })
}
interface Ages {
  readonly maxAgeSeconds: number
  readonly cooldownSeconds?: number
}

describe('a rotation', () => {
  test.each([
    [{}, 900],
    [{ publishAheadSeconds: 4, refreshSeconds: 1 }, 4],
  ])(
    'is refused until the next key was published for long enough, and the ring is unchanged: %j',
    async (options, ahead) => {
      const ring = await open(options)
      const before = await idsOf()
      const signing = await ring.signingKey()
      for (const elapsed of [0, ahead]) {
        advance(elapsed)
        await expect(ring.rotate()).rejects.toMatchObject({ name: 'JwtError', code: 'JWT_ROTATION_TOO_EARLY' })
        expect(await idsOf()).toEqual(before)
        expect((await ring.signingKey()).id).toBe(signing.id)
      }
      expect(await ring.nextSignsAt()).toBe(time + 1)
      advance(1)
      expect((await ring.rotate()).id).toBe(before[1]?.[0])
      // The one after it was published just now.
      await expect(ring.rotate()).rejects.toMatchObject({ code: 'JWT_ROTATION_TOO_EARLY' })
      advance(ahead - 1)
      await expect(ring.rotate()).rejects.toMatchObject({ code: 'JWT_ROTATION_TOO_EARLY' })
      advance(2)
      await ring.rotate()
    },
  )

  test('names the time from which the next key may sign when it is refused', async () => {
    const ring = await open()
    await expect(ring.rotate()).rejects.toThrow(/may sign from 2027-01-15T08:15:00\.\d{3}Z/)
  })

  test('does not wait if the keys are symmetric, which are never published', async () => {
    const ring = await open({ algorithm: 'HS256' })
    const first = await ring.rotate()
    expect((await ring.rotate()).id).not.toBe(first.id)
    expect(await ring.jwks()).toEqual({ keys: [] })
  })

  test('by one process is followed by the others within the refresh time, and all their tokens verify elsewhere', async () => {
    const [one, other] = await Promise.all([open(), open()])
    const elsewhere = createVerifierElsewhere(() => other, { maxAgeSeconds: 600 })
    expect(await elsewhere(await sign(one))).toBe('ok')
    advance(870) // the set that it has now is 270 s old and fetched again in the background from 300 s on
    await expect(one.rotate()).rejects.toMatchObject({ code: 'JWT_ROTATION_TOO_EARLY' })
    advance(31)
    const { id } = await one.rotate()
    const late = await sign(other)
    expect([await judge(one, late), await judge(other, await sign(one))]).toEqual(['ok', 'ok'])
    expect([await elsewhere(late), await elsewhere(await sign(one))]).toEqual(['ok', 'ok'])
    advance(60)
    expect((await other.signingKey()).id).toBe(id)
  })

  test('refuses no live token elsewhere, however the ages of sets fall', async () => {
    const ages = { maxAgeSeconds: 2, cooldownSeconds: 1 }
    const options = { publishAheadSeconds: 4, refreshSeconds: 1 }
    const [one, other] = await Promise.all([open(options), open(options)])
    const elsewhere = [createVerifierElsewhere(() => one, ages), createVerifierElsewhere(() => other, ages)]
    const tokens: string[] = []
    const verifyAll = async (asked: readonly string[]) => {
      for (const token of asked) for (const verify of elsewhere) expect(await verify(token)).toBe('ok')
    }
    let rotations = 0
    for (let step = 0; step < 240; step++) {
      advance(0.25)
      const rotated = await (step % 2 ? one : other).rotate().catch((error: unknown) => error)
      if (!(rotated instanceof Error)) rotations++
      tokens.push(await sign(one), await sign(other))
      await verifyAll([...tokens.slice(-8), ...tokens.slice(step, step + 1)])
      // Without this, what is fetched in the background would come at no known time.
      for (const { settle } of elsewhere) await settle()
    }
    expect(rotations).toBeGreaterThan(10)
  })

  test('without the wait would break a verifier elsewhere', async () => {
    const ring = await open()
    const elsewhere = createVerifierElsewhere(() => ring, { maxAgeSeconds: 600 })
    advance(901)
    await ring.rotate()
    expect(await elsewhere(await sign(ring))).toBe('ok')
    await ring.replaceAll()
    expect(await elsewhere(await sign(ring))).toBe('key')
    advance(31)
    expect(await elsewhere(await sign(ring))).toBe('ok')
  })
})

describe('a change of the algorithm', () => {
  test('between key pairs takes effect once the new key was published for long enough', async () => {
    const old = await open({ algorithm: 'ES256' })
    const elsewhere = createVerifierElsewhere(() => old, { maxAgeSeconds: 600 })
    const token = await sign(old)
    expect(await elsewhere(token)).toBe('ok')
    const ring = await open({ algorithm: 'EdDSA' })
    expect((await ring.signingKey()).algorithm).toBe('ES256')
    await expect(ring.rotate()).rejects.toMatchObject({ code: 'JWT_ROTATION_TOO_EARLY' })
    expect(await elsewhere(await sign(ring))).toBe('ok')
    advance(450)
    expect(await elsewhere(await sign(ring))).toBe('ok')
    advance(451)
    expect((await ring.signingKey()).algorithm).toBe('EdDSA')
    expect(await elsewhere(await sign(ring))).toBe('ok')
    const last = await sign(old)
    await ring.rotate()
    const active = (await store.list()).filter(({ retiredAt }) => retiredAt === null)
    expect(new Set(active.map(({ algorithm }) => algorithm))).toEqual(new Set(['EdDSA']))
    expect([await judge(ring, last), await elsewhere(last)]).toEqual(['ok', 'ok'])
  })

  test('from a symmetric algorithm takes effect at once, because no other service verified its tokens', async () => {
    await open({ algorithm: 'HS256' })
    expect((await (await open()).signingKey()).algorithm).toBe('ES256')
  })
})

describe('after a leak replaceAll', () => {
  test('signs with a new key at once, and refuses every token from before, retired keys included', async () => {
    const ring = await open()
    const first = await sign(ring)
    advance(901)
    await ring.rotate()
    const [retired, current] = [await sign(await open({ algorithm: 'HS256', purpose: 'other' })), await sign(ring)]
    const before = new Set((await store.list()).filter(({ purpose }) => purpose !== 'other').map(({ id }) => id))
    const key = await ring.replaceAll()
    expect(before.has(key.id)).toBe(false)
    expect([await judge(ring, first), await judge(ring, current)]).toEqual(['key', 'key'])
    expect(await judge(ring, await sign(ring))).toBe('ok')
    const kids = (await ring.jwks()).keys.map(({ kid }) => kid)
    expect(kids.filter((kid) => before.has(kid))).toEqual([])
    expect(await judge(await open({ algorithm: 'HS256', purpose: 'other' }), retired)).toBe('ok')
  })

  test('is known to the other processes within the refresh time, and at the first new token', async () => {
    const [one, other, third] = await Promise.all([open(), open(), open()])
    const stolen = await sign(one)
    await one.replaceAll()
    expect(await judge(other, await sign(one))).toBe('ok')
    expect(await judge(other, stolen)).toBe('key')
    advance(60)
    expect(await judge(third, stolen)).toBe('key')
  })

  test('by several processes at once leaves a ring that works, and none of the keys from before', async () => {
    const rings = await Promise.all([open(), open(), open()])
    const before = (await store.list()).map(({ id }) => id)
    await Promise.all(rings.map((ring) => ring.replaceAll()))
    const after = (await store.list()).map(({ id }) => id)
    expect(after.filter((id) => before.includes(id))).toEqual([])
    advance(60)
    const signing = await Promise.all(rings.map((ring) => ring.signingKey()))
    expect(new Set(signing.map(({ id }) => id)).size).toBe(1)
  })

  test('also removes a key that another process retires meanwhile', async () => {
    const other = await open({ algorithm: 'HS256' })
    const before = (await store.list()).map(({ id }) => id)
    let isRotated = false
    const insert: DocumentStore['insert'] = async (document) => {
      if (!isRotated) await other.rotate()
      isRotated = true
      return documents.insert(document)
    }
    const ring = await open({ algorithm: 'HS256', documents: { ...documents, insert } })
    const stolen = await sign(ring)
    await ring.replaceAll()
    const after = (await store.list()).map(({ id }) => id)
    expect(after.filter((id) => before.includes(id))).toEqual([])
    expect(await judge(ring, stolen)).toBe('key')
  })

  test('removes no key if the new keys cannot be stored', async () => {
    const down = new Error('no connection')
    const before = await open().then(idsOf)
    const ring = await open({ documents: { ...documents, insert: () => Promise.reject(down) } })
    await expect(ring.replaceAll()).rejects.toBe(down)
    expect(await idsOf()).toEqual(before)
  })
})

describe('the list of keys', () => {
  const list = (algorithm: 'HS256' | 'ES256' | 'EdDSA' = 'ES256') => listKeys({ documents, algorithm, now })

  test('shows without a secret which key signs, and from when the next key may', async () => {
    expect(await list()).toEqual([])
    const ring = await open()
    const [signing, next] = await store.list()
    const nextSigns = { state: 'next', signsAt: (next?.createdAt ?? 0) + 900_000 }
    expect(await list()).toMatchObject([{ id: signing?.id, state: 'signing', signsAt: null }, nextSigns])
    advance(901)
    await ring.rotate()
    expect((await list()).map(({ state }) => state)).toEqual(['retired', 'signing', 'next'])
    expect((await list())[0]).toMatchObject({ retiredAt: time, signsAt: null })
    for (const listed of await list()) expect(Object.keys(listed)).not.toContain('sealed')
  })

  test('agrees with the ring after a change of the algorithm', async () => {
    await open()
    const ring = await open({ algorithm: 'EdDSA' })
    for (const seconds of [0, 901]) {
      advance(seconds)
      const signing = (await list('EdDSA')).filter(({ state }) => state === 'signing')
      expect(signing).toMatchObject([{ id: (await ring.signingKey()).id }])
    }
  })
})

test.each<[string, Partial<Options>]>([
  ['publishAheadSeconds', { publishAheadSeconds: 0 }],
  ['publishAheadSeconds', { publishAheadSeconds: 1.5 }],
  ['publishAheadSeconds', { publishAheadSeconds: 59 }],
  ['publishAheadSeconds', { publishAheadSeconds: 900, refreshSeconds: 901 }],
])('a ring is refused with %s in %j', async (name, options) => {
  await expect(open(options)).rejects.toThrow(TypeError)
  await expect(open(options)).rejects.toThrow(`"${name}"`)
  expect(await store.list()).toEqual([])
})
