import type { KeySet } from '@latchkey/jwt'
import {
  createJwtSigner,
  createJwtVerifier,
  createKeyRing,
  generateJwtKey,
  importJwtKey,
  type KeyRing,
  type VerifiedClaims,
} from '@latchkey/jwt'
import { beforeEach, describe, expect, test } from 'vitest'
import { audience, claims, createHmacVerifier, forge, header, issuer, seconds, secret } from './forge-token.ts'

let time: number
let keys: KeyRing
const now = () => time
const advance = (by: number) => {
  time += by * 1000
}
type Options = Partial<Parameters<typeof createJwtVerifier>[0]>
const createVerifier = (options: Options = {}) =>
  createJwtVerifier({ issuer, audience, algorithms: ['ES256', 'HS256'], keys, now, ...options })
const sign = async () => (await createJwtSigner({ issuer, audience, keys, now }).sign({ sub: 'acc_1' })).token

beforeEach(async () => {
  time = seconds * 1000
  keys = createKeyRing({ keys: [await generateJwtKey('ES256')], now })
})

describe('a token that was verified before', () => {
  test('is answered from the cache with the same claims', async () => {
    const verifier = createVerifier()
    const token = await sign()
    const [first, second] = [await verifier.verify(token), await verifier.verify(token)]
    if (!first.ok || !second.ok) throw new Error('refused')
    expect(second.claims).toBe(first.claims)
  })

  test('is verified again without a cache, and when newer ones have replaced it', async () => {
    const isRemembered = async (maxCachedTokens: number, between: number) => {
      const verifier = createVerifier({ maxCachedTokens })
      const token = await sign()
      const first = await verifier.verify(token)
      for (let count = 0; count < between; count++) await verifier.verify(await sign())
      const second = await verifier.verify(token)
      if (!first.ok || !second.ok) throw new Error('refused')
      return first.claims === second.claims
    }
    expect(await isRemembered(0, 0)).toBe(false)
    expect(await isRemembered(3, 2)).toBe(true)
    expect(await isRemembered(3, 3)).toBe(false)
  })

  test.each([3, 10, 100])(
    'stays in a cache of %i while it is used, and the least recently used token is dropped',
    async (max) => {
      const verifier = createVerifier({ maxCachedTokens: max })
      const claimsOf = async (token: string) => {
        const verdict = await verifier.verify(token)
        if (!verdict.ok) throw new Error('refused')
        return verdict.claims
      }
      const tokens = await Promise.all(Array.from({ length: max }, sign))
      const [used = '', unused = '', ...others] = tokens
      const first = await claimsOf(used)
      const second = await claimsOf(unused)
      for (const token of others) await claimsOf(token)
      // As many again, one after another: every one of the others makes room, the one that is used does not.
      for (let count = 0; count < max; count++) {
        expect(await claimsOf(used)).toBe(first)
        await claimsOf(await sign())
      }
      expect(await claimsOf(used)).toBe(first)
      expect(await claimsOf(unused)).not.toBe(second)
    },
  )

  test('stays in the cache of a verifier without that option until 10 000 others were verified', async () => {
    const verifier = await createHmacVerifier()
    const verifyAll = async (from: number, to: number) => {
      let verified = 0
      for (let index = from; index < to; index++)
        if ((await verifier.verify(forge(header, { ...claims, sub: `acc_${index}` }))).ok) verified++
      expect(verified).toBe(to - from)
    }
    const first = await verifier.verify(forge())
    await verifyAll(0, 9_999)
    const again = await verifier.verify(forge())
    await verifyAll(9_999, 20_000)
    const later = await verifier.verify(forge())
    if (!first.ok || !again.ok || !later.ok) throw new Error('refused')
    expect(again.claims).toBe(first.claims)
    expect(later.claims).not.toBe(first.claims)
  })

  test('is never mistaken for another token with the same slot in the cache, which replaces it', async () => {
    const verifier = await createHmacVerifier()
    const claimsOf = async (sub: string) => {
      const verdict = await verifier.verify(forge(header, { ...claims, sub }))
      if (!verdict.ok) throw new Error('refused')
      return verdict.claims
    }
    // Tokens whose digests have the same place: found by trying.
    const [first, other] = [await claimsOf('acc_36066'), await claimsOf('acc_48979')]
    expect([first.sub, other.sub]).toEqual(['acc_36066', 'acc_48979'])
    expect(await claimsOf('acc_48979')).toBe(other)
    const again = await claimsOf('acc_36066')
    expect(again).toEqual(first)
    expect(again).not.toBe(first)
  })

  test('ends with its exp', async () => {
    const verifier = createVerifier()
    const token = await sign()
    await verifier.verify(token)
    advance(904)
    expect((await verifier.verify(token)).ok).toBe(true)
    advance(1)
    expect(await verifier.verify(token)).toEqual({ ok: false, reason: 'expired' })
  })

  test('is dropped for the next token when it has expired', async () => {
    const verifier = createVerifier()
    const token = await sign()
    const first = await verifier.verify(token)
    advance(900)
    await verifier.verify(await sign())
    const second = await verifier.verify(token)
    if (!first.ok || !second.ok) throw new Error('refused')
    expect(second.claims).not.toBe(first.claims)
  })

  test('is refused when the clock is set back before it', async () => {
    const verifier = createVerifier()
    const token = await sign()
    await verifier.verify(token)
    advance(-6)
    expect(await verifier.verify(token)).toEqual({ ok: false, reason: 'not-yet-valid' })
  })

  test('is refused once its key is gone, or another key has its id', async () => {
    const key = await importJwtKey({ id: 'hmac', algorithm: 'HS256', bytes: secret })
    const other = await importJwtKey({ id: 'hmac', algorithm: 'HS256', bytes: new Uint8Array(32).fill(8) })
    let current: typeof key | null = key
    const asked: Parameters<KeySet['find']>[0][] = []
    const find = async (query: Parameters<KeySet['find']>[0]) => {
      asked.push(query)
      return current
    }
    const verifier = createVerifier({ keys: { find } })
    expect((await verifier.verify(forge())).ok).toBe(true)
    expect((await verifier.verify(forge())).ok).toBe(true)
    expect(asked).toEqual(Array(2).fill({ id: 'hmac', algorithm: 'HS256' }))
    current = other
    expect(await verifier.verify(forge())).toEqual({ ok: false, reason: 'signature' })
    current = null
    expect(await verifier.verify(forge())).toEqual({ ok: false, reason: 'key' })
  })

  test('is refused once the find of the ring was replaced', async () => {
    const verifier = createVerifier()
    const [token, other] = [await sign(), await sign()]
    expect((await verifier.verify(token)).ok).toBe(true)
    Object.assign(keys, { find: async () => null })
    expect(await verifier.verify(token)).toEqual({ ok: false, reason: 'key' })
    expect(await verifier.verify(other)).toEqual({ ok: false, reason: 'key' })
  })

  test('does not count for a token with the same claims and another signature', async () => {
    const verifier = await createHmacVerifier()
    const token = forge()
    await verifier.verify(token)
    const altered = token.slice(0, -4) + (token.endsWith('AAAA') ? 'BBBB' : 'AAAA')
    expect(await verifier.verify(altered)).toEqual({ ok: false, reason: 'signature' })
  })

  test('does not count for another verifier', async () => {
    const token = await sign()
    expect((await createVerifier().verify(token)).ok).toBe(true)
    expect(await createVerifier({ audience: 'https://other.example.com' }).verify(token)).toMatchObject({ ok: false })
  })

  test('with a known header is still verified by its own signature and claims', async () => {
    const verifier = await createHmacVerifier()
    await verifier.verify(forge())
    expect(await verifier.verify(forge(header, claims, new Uint8Array(32)))).toEqual({ ok: false, reason: 'signature' })
    expect(await verifier.verify(forge(header, { ...claims, iss: 'x' }))).toEqual({ ok: false, reason: 'issuer' })
  })
})

describe('a deny list', () => {
  const denied = new Set<string>()
  const asked: VerifiedClaims[] = []
  const denyList = {
    async isDenied(given: VerifiedClaims) {
      asked.push(given)
      return denied.has(String(given.jti)) || denied.has(String(given.sid))
    },
  }
  beforeEach(() => {
    denied.clear()
    asked.length = 0
  })

  test('refuses its tokens from the next request on, cached or not', async () => {
    const verifier = createVerifier({ denyList })
    const { token, jti } = await createJwtSigner({ issuer, audience, keys, now }).sign({ sub: 'acc_1', sid: 'se_1' })
    expect((await verifier.verify(token)).ok).toBe(true)
    denied.add(jti)
    expect(await verifier.verify(token)).toEqual({ ok: false, reason: 'denied' })
    denied.clear()
    denied.add('se_1')
    expect(await verifier.verify(token)).toEqual({ ok: false, reason: 'denied' })
    denied.clear()
    expect((await verifier.verify(token)).ok).toBe(true)
  })

  test('is not called for a token that is refused anyway', async () => {
    const verifier = createVerifier({ denyList })
    const token = await sign()
    await verifier.verify(`${token}A`)
    await verifier.verify(null)
    advance(2000)
    await verifier.verify(token)
    expect(asked).toEqual([])
  })

  test('rejects if it is unavailable', async () => {
    const broken = new Error('no connection')
    const verifier = createVerifier({ denyList: { isDenied: () => Promise.reject(broken) } })
    await expect(verifier.verify(await sign())).rejects.toBe(broken)
  })
})
