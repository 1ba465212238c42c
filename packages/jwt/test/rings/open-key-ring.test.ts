import { randomBytes, type SecretKeys } from '@latchkey/bytes'
import { createJwtSigner, createJwtVerifier, type KeyRing, openKeyRing } from '@latchkey/jwt'
import { createMemoryDocumentStore, type DocumentStore } from '@latchkey/store'
import { beforeEach, describe, expect, test } from 'vitest'
import { audience, issuer, seconds } from '../forge-token.ts'
import { type KeyAtRest, keysIn } from './keys-in-documents.ts'

const secrets: SecretKeys = [{ id: '2026-01', bytes: randomBytes(32) }]
let documents: DocumentStore
let store: ReturnType<typeof keysIn>
let time: number
let calls: { list: number; insert: number }
const now = () => time
const advance = (by: number) => {
  time += by * 1000
}

beforeEach(() => {
  time = seconds * 1000
  calls = { list: 0, insert: 0 }
  documents = createSlowStore()
  store = keysIn(documents)
})

/** Waits for so many turns of the event loop. */
async function wait(turns: number): Promise<void> {
  for (let turn = 0; turn < turns; turn++) await new Promise((resolve) => setImmediate(resolve))
}

/** Delays every answer, as a network does, so that callers overlap. */
function createSlowStore(): DocumentStore {
  const inner = createMemoryDocumentStore()
  const pause = () => new Promise((resolve) => setImmediate(resolve))
  return {
    ...inner,
    async insert(document) {
      calls.insert++
      await pause()
      return inner.insert(document)
    },
    async list(collection, page) {
      calls.list++
      const listed = await inner.list(collection, page)
      await pause()
      return listed
    },
    replace: (current, next) => pause().then(() => inner.replace(current, next)),
    remove: (document) => pause().then(() => inner.remove(document)),
  }
}

type Options = Parameters<typeof openKeyRing>[0]
const open = (options: Partial<Options> = {}) =>
  openKeyRing({ documents, secrets, algorithm: 'HS256', now, ...options })
const parties = (keys: KeyRing) => ({
  signer: createJwtSigner({ issuer, audience, keys, now }),
  verifier: createJwtVerifier({ issuer, audience, algorithms: ['HS256', 'ES256'], keys, now }),
})
const sign = async (keys: KeyRing) => (await parties(keys).signer.sign({ sub: 'acc_1' })).token
const judge = async (keys: KeyRing, token: string) => {
  const verdict = await parties(keys).verifier.verify(token)
  return verdict.ok ? 'ok' : verdict.reason
}

describe('a ring that is opened', () => {
  test.each(['HS256', 'ES256', 'EdDSA', 'RS256', 'PS256'] as const)(
    'makes its keys for %s, and finds them again',
    async (algorithm) => {
      const first = await open({ algorithm })
      const { token } = await createJwtSigner({ issuer, audience, keys: first, now }).sign({ sub: 'acc_1' })
      const second = await open({ algorithm })
      expect((await second.signingKey()).id).toBe((await first.signingKey()).id)
      const verifier = createJwtVerifier({ issuer, audience, algorithms: [algorithm], keys: second, now })
      expect((await verifier.verify(token)).ok).toBe(true)
      expect(await store.list()).toHaveLength(2)
      expect((await second.jwks()).keys).toHaveLength(algorithm === 'HS256' ? 0 : 2)
    },
  )

  test('has one signing key for all simultaneous processes, and each verifies the tokens of the others', async () => {
    const rings = await Promise.all(Array.from({ length: 8 }, (_, place) => wait(place).then(() => open())))
    const tokens = await Promise.all(rings.map(sign))
    for (const ring of rings) {
      for (const token of tokens) expect(await judge(ring, token)).toBe('ok')
    }
    advance(60)
    const signing = await Promise.all(rings.map((ring) => ring.signingKey()))
    expect(new Set(signing.map(({ id }) => id)).size).toBe(1)
    const keyCount = (await store.list()).length
    await Promise.all(rings.map((ring) => ring.rotate()))
    expect((await store.list()).length).toBe(keyCount)
  })

  test('uses only the keys of its purpose', async () => {
    const access = await open()
    const refresh = await open({ purpose: 'id-token' })
    const token = await sign(access)
    expect(await judge(access, token)).toBe('ok')
    expect(await judge(refresh, token)).toBe('key')
    expect(new Set((await store.list()).map(({ purpose }) => purpose))).toEqual(new Set(['access-token', 'id-token']))
  })

  test.each<[string, unknown]>([
    ['documents', undefined],
    ['documents', []],
    ['secrets', []],
    ['secrets', 'secret'],
    ['algorithm', 'none'],
    ['algorithm', undefined],
    ['purpose', ''],
    ['maxLifetimeSeconds', 0],
    ['refreshSeconds', 0],
    ['cooldownSeconds', -1],
  ])('is refused with %s %j', async (name, value) => {
    await expect(open({ [name]: value })).rejects.toThrow(TypeError)
    await expect(open({ [name]: value })).rejects.toThrow(`"${name}"`)
    expect(calls).toEqual({ list: 0, insert: 0 })
  })
})

describe('a key at rest', () => {
  test('is sealed: the row shows no key', async () => {
    const ring = await open({ algorithm: 'ES256' })
    for (const row of await store.list()) {
      expect(Object.keys(row).sort()).toEqual(['algorithm', 'createdAt', 'id', 'purpose', 'retiredAt', 'sealed'])
      expect(row.sealed).toMatch(/^2026-01\.[\w-]+$/)
      expect(Buffer.from(row.sealed.slice(8), 'base64url').toString('latin1')).not.toContain('kty')
    }
    expect(JSON.stringify(await ring.jwks())).not.toContain('"d"')
  })

  test('opens under an older secret after a new one was put first, which seals the next keys', async () => {
    const token = await sign(await open())
    const newer = { id: '2027-01', bytes: randomBytes(32) }
    const ring = await open({ secrets: [newer, ...secrets] })
    expect(await judge(ring, token)).toBe('ok')
    await ring.rotate()
    expect((await store.list()).filter(({ sealed }) => sealed.startsWith('2027-01.'))).toHaveLength(1)
  })

  test.each<[string, (row: KeyAtRest, other: KeyAtRest) => Partial<KeyAtRest>]>([
    ['of another row', (_row, { sealed }) => ({ sealed })],
    ['under another algorithm', () => ({ algorithm: 'ES256' })],
    ['that was altered', ({ sealed }) => ({ sealed: sealed.replace(/.$/, (last) => (last === 'A' ? 'B' : 'A')) })],
    ['of another purpose', () => ({ purpose: 'id-token' })],
    ['in the clear', () => ({ sealed: Buffer.from('{"algorithm":"HS256","bytes":""}').toString('base64url') })],
  ])('%s does not open', async (_what, alter) => {
    await open()
    const [row, other] = (await store.list()) as [KeyAtRest, KeyAtRest]
    const altered = createMemoryDocumentStore()
    await keysIn(altered).insert({ ...row, ...alter(row, other) })
    const options = { documents: altered, purpose: _what === 'of another purpose' ? 'id-token' : 'access-token' }
    await expect(open(options)).rejects.toMatchObject({ name: 'JwtError', code: 'JWT_KEY_UNREADABLE' })
  })

  test('does not open under other secrets, and is not replaced', async () => {
    await open()
    await store.remove((await store.list())[0]!.id)
    calls.insert = 0
    const strangers: SecretKeys = [{ id: '2026-01', bytes: randomBytes(32) }]
    await expect(open({ secrets: strangers })).rejects.toMatchObject({
      code: 'JWT_KEY_UNREADABLE',
      message: expect.stringMatching(/the secret that sealed it .* Give the old secret as well/),
    })
    expect(calls.insert).toBe(0)
  })

  test('need not open once it is retired and past its end', async () => {
    const ring = await open()
    const [row] = await store.list()
    await ring.rotate()
    await store.remove(row!.id)
    await store.insert({ ...row!, sealed: 'lost', retiredAt: time })
    await expect(open()).rejects.toMatchObject({ code: 'JWT_KEY_UNREADABLE' })
    advance(1260)
    expect((await (await open()).signingKey()).id).toBe((await ring.signingKey()).id)
  })

  test('is reported if its store loses it', async () => {
    const forgetful = { ...createMemoryDocumentStore(), list: async () => ({ items: [] }) }
    await expect(open({ documents: forgetful })).rejects.toMatchObject({ code: 'JWT_KEYS_UNAVAILABLE' })
  })
})

describe('a rotation', () => {
  test('signs with the key that was published already, and publishes the one after it', async () => {
    const ring = await open({ algorithm: 'ES256' })
    const before = await ring.jwks()
    const old = await ring.signingKey()
    advance(901)
    const key = await ring.rotate()
    expect(key.id).not.toBe(old.id)
    expect(before.keys.map(({ kid }) => kid)).toEqual([old.id, key.id])
    expect(await ring.signingKey()).toBe(key)
    expect((await ring.jwks()).keys.map(({ kid }) => kid)).toEqual([old.id, key.id, expect.any(String)])
  })

  test('runs once if several processes start it at the same time', async () => {
    const rings = await Promise.all([open(), open()])
    await Promise.all([rings[0].rotate(), rings[0].rotate(), rings[1].rotate()])
    expect((await store.list()).filter(({ retiredAt }) => retiredAt !== null)).toHaveLength(1)
  })

  test('under load fails no verification in any process', async () => {
    const rings = await Promise.all([open(), open(), open()])
    const refusals: string[] = []
    let verified = 0
    let isOver = false
    async function work(signing: KeyRing, verifying: KeyRing): Promise<void> {
      const { signer } = parties(signing)
      const { verifier } = parties(verifying)
      while (!isOver) {
        const verdict = await verifier.verify((await signer.sign({ sub: 'acc_1' })).token)
        if (verdict.ok) verified++
        else refusals.push(verdict.reason)
        if (verified % 20 === 0) await new Promise((resolve) => setImmediate(resolve))
      }
    }
    const load = rings.flatMap((one) => rings.map((other) => work(one, other)))
    for (let turn = 0; turn < 6; turn++) {
      await rings[turn % 3]!.rotate()
      advance(61)
      const enough = verified + 50
      while (verified < enough && refusals.length === 0) await new Promise((resolve) => setImmediate(resolve))
    }
    isOver = true
    await Promise.all(load)
    expect(refusals).toEqual([])
    expect(verified).toBeGreaterThan(100)
  })

  test('reads the store again afterwards, and uses no read that started before', async () => {
    const stranger = await open({ documents: createMemoryDocumentStore() }) // under the same secrets: its ids are looked for
    const { id } = await stranger.signingKey()
    const inner = documents
    let release = () => {}
    let hold: Promise<void> | null = null
    const held: DocumentStore = {
      ...inner,
      async list(collection, page) {
        const listed = await inner.list(collection, page)
        await hold
        return listed
      },
      async replace(...given) {
        hold = new Promise((resolve) => {
          release = resolve
        })
        const looking = ring.find({ id, algorithm: 'HS256' })
        await wait(3)
        setTimeout(release, 20)
        looking.catch(() => null)
        return inner.replace(...given)
      },
    }
    const ring = await open({ documents: held })
    const old = await ring.signingKey()
    expect((await ring.rotate()).id).not.toBe(old.id)
  })

  test('is known to the other processes within the refresh time', async () => {
    const [one, other] = await Promise.all([open(), open()])
    const key = await one.rotate()
    advance(60)
    expect((await other.signingKey()).id).toBe(key.id)
  })

  test('keeps the old key until the last token that it signed in any process has expired, then drops it', async () => {
    const [one, other] = await Promise.all([open(), open()])
    const old = (await one.signingKey()).id
    await one.rotate()
    advance(59)
    const late = await sign(other) // it has not heard of the rotation
    advance(904)
    expect(await judge(one, late)).toBe('ok')
    advance(296)
    expect(await one.find({ id: old, algorithm: 'HS256' })).not.toBeNull()
    advance(1)
    expect(await one.find({ id: old, algorithm: 'HS256' })).toBeNull()
    expect((await store.list()).map(({ id }) => id)).toContain(old)
    await one.rotate()
    expect((await store.list()).map(({ id }) => id)).not.toContain(old)
  })

  test('fails no verification when the algorithm changes', async () => {
    const old = await open({ algorithm: 'HS256' })
    const token = await sign(old)
    const ring = await open({ algorithm: 'ES256' })
    expect((await ring.signingKey()).algorithm).toBe('ES256')
    expect(await judge(ring, token)).toBe('ok')
    expect(await judge(old, await sign(ring))).toBe('ok')
    advance(901)
    const last = await sign(old)
    await ring.rotate()
    const active = (await store.list()).filter(({ retiredAt }) => retiredAt === null)
    expect(active.map(({ algorithm }) => algorithm)).toEqual(['ES256', 'ES256'])
    expect(await judge(ring, last)).toBe('ok')
  })

  test('puts a new key after the known keys, even if the clock of its process is late', async () => {
    const ring = await open()
    const known = (await store.list()).map(({ id }) => id)
    const slow = await open({ now: () => time - 200_000 })
    const key = await slow.rotate()
    expect(known).toContain(key.id)
    expect(await judge(ring, await sign(ring))).toBe('ok')
    advance(60)
    expect((await ring.signingKey()).id).toBe(key.id)
  })
})

describe('a key of another process', () => {
  test('is found with its first token', async () => {
    const one = await open()
    const other = await open()
    await other.rotate()
    await other.rotate() // `one` has never seen the key that signs now
    expect(await judge(one, await sign(other))).toBe('ok')
  })

  test('is not looked up when its id was invented, so that a flood of those does not reach the store', async () => {
    const [one, other] = [await open(), await open()]
    calls.list = 0
    const [shown] = await store.list()
    calls.list = 0
    const invented = [
      ...Array.from({ length: 100 }, () => randomBytes(24)).map((bytes) => Buffer.from(bytes).toString('base64url')),
      ...['', 'unknown', '__proto__', `${shown!.id}A`, shown!.id.toLowerCase(), shown!.id.replace(/.$/, '=')],
    ]
    for (const id of invented) expect(await one.find({ id, algorithm: 'HS256' })).toBeNull()
    expect(await one.find({ id: null, algorithm: 'HS256' })).toBeNull()
    expect(calls.list).toBe(0)
    await other.rotate()
    await other.rotate()
    expect(await judge(one, await sign(other))).toBe('ok')
  })

  test('is looked up at most once in the cooldown when it was removed, however often its id occurs', async () => {
    const ring = await open({ cooldownSeconds: 5 })
    const { id } = await ring.signingKey()
    await store.remove(id)
    advance(60)
    await ring.signingKey() // reads the ring again, and adds the key that is missing
    const find = () => ring.find({ id, algorithm: 'HS256' })
    for (let cooldown = 0; cooldown < 3; cooldown++) {
      calls.list = 0
      expect(await Promise.all(Array.from({ length: 50 }, find))).toEqual(Array(50).fill(null))
      for (let turn = 0; turn < 50; turn++) await find()
      advance(4.999)
      await find()
      expect(calls.list).toBe(1)
      advance(0.001)
    }
  })

  test('verifies no token within the refresh time after its removal', async () => {
    const ring = await open()
    const token = await sign(ring)
    const { verifier } = parties(ring)
    expect((await verifier.verify(token)).ok).toBe(true)
    await store.remove((await ring.signingKey()).id)
    advance(60)
    expect(await verifier.verify(token)).toEqual({ ok: false, reason: 'key' })
    expect(await judge(ring, await sign(ring))).toBe('ok')
  })
})

test('a clock that was set back does not extend the age of old keys', async () => {
  const ring = await open()
  const { id } = await ring.signingKey()
  await store.remove(id)
  advance(-3600)
  expect((await ring.signingKey()).id).not.toBe(id)
})

describe('a store that is not available', () => {
  const broken = new Error('no connection')
  const failingList =
    (isDown: () => boolean): DocumentStore['list'] =>
    (...given) =>
      isDown() ? Promise.reject(broken) : documents.list(...given)

  test('fails the opening', async () => {
    await expect(open({ documents: { ...documents, list: () => Promise.reject(broken) } })).rejects.toBe(broken)
  })

  test('has no effect while the keys are fresh, is no verdict afterwards, and is read once a second', async () => {
    let isDown = false
    const list = failingList(() => isDown)
    const ring = await open({ documents: { ...documents, list } })
    const token = await sign(ring)
    isDown = true
    advance(31) // the background look fails and no event says so
    expect(await judge(ring, token)).toBe('ok')
    await new Promise((resolve) => setImmediate(resolve))
    advance(28)
    expect(await judge(ring, token)).toBe('ok')
    advance(2)
    await expect(judge(ring, token)).rejects.toBe(broken)
    await expect(ring.signingKey()).rejects.toBe(broken)
    isDown = false
    await expect(judge(ring, token)).rejects.toBe(broken)
    advance(1)
    expect(await judge(ring, token)).toBe('ok')
  })

  test('is read again ten seconds after a call that never settles, and a late answer changes no key', async () => {
    const late = Promise.withResolvers<Awaited<ReturnType<DocumentStore['list']>>>()
    let isLost = false
    const list: DocumentStore['list'] = (...given) => (isLost ? late.promise : documents.list(...given))
    const ring = await open({ documents: { ...documents, list } })
    const [token, before] = [await sign(ring), await documents.list('signing-key')]
    isLost = true
    advance(31) // the background look begins; a platform ends it with its request
    expect(await judge(ring, token)).toBe('ok')
    isLost = false
    await store.remove((await ring.signingKey()).id)
    advance(11)
    await expect.poll(() => judge(ring, token)).not.toBe('ok')
    late.resolve(before)
    await wait(100)
    expect(await judge(ring, token)).not.toBe('ok')
  })

  test('is no answer about an unknown id either', async () => {
    let isDown = false
    const list = failingList(() => isDown)
    const [ring, other] = [await open({ documents: { ...documents, list } }), await open()]
    await other.rotate()
    await other.rotate()
    const token = await sign(other)
    isDown = true
    await expect(judge(ring, token)).rejects.toBe(broken)
    isDown = false
    expect(await judge(ring, token)).toBe('ok')
  })
})

test('keys are written in the version of stored values that all processes know', async () => {
  await open({ storedVersion: () => 1 })
  const { items } = await documents.list('signing-key')
  expect(items.map(({ value }) => JSON.parse(value).v)).toEqual([1, 1])
})

test.each<[string, string]>([
  ['no JSON', '{'],
  ['no key', '{"v":1,"purpose":"access-token"}'],
])('a stored key that is %s is an error of the store, and no key is added', async (_what, value) => {
  await documents.insert({ collection: 'signing-key', id: 'spoilt', owner: null, version: 'w', value })
  calls.insert = 0
  await expect(open()).rejects.toMatchObject({ code: 'STORE_DATA_INVALID' })
  expect(calls.insert).toBe(0)
})
