import {
  createJwtSigner,
  createJwtVerifier,
  createKeyRing,
  generateJwtKey,
  importJwtKey,
  type JwtKey,
} from '@latchkey/jwt'
import { createLocalJWKSet, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { audience, issuer, seconds, secret } from '../forge-token.ts'

function createClock(): { now: () => number; advance: (by: number) => void } {
  let time = seconds * 1000
  return {
    now: () => time,
    advance: (by) => {
      time += by * 1000
    },
  }
}

describe('a key ring', () => {
  test('signs with the first key and verifies with each of them', async () => {
    const [first, second] = await Promise.all([generateJwtKey('ES256'), generateJwtKey('HS256')])
    const ring = createKeyRing({ keys: [first, second] })
    expect(await ring.signingKey()).toBe(first)
    expect(await ring.find({ id: first.id, algorithm: 'ES256' })).toBe(first)
    expect(await ring.find({ id: second.id, algorithm: 'HS256' })).toBe(second)
  })

  test('finds no key for another algorithm, and without an id only if it has a single key', async () => {
    const [one, other, only] = await Promise.all([
      generateJwtKey('ES256'),
      generateJwtKey('ES256'),
      generateJwtKey('EdDSA'),
    ])
    const ring = createKeyRing({ keys: [one, other, only] })
    expect(await ring.find({ id: one.id, algorithm: 'EdDSA' })).toBeNull()
    expect(await ring.find({ id: null, algorithm: 'ES256' })).toBeNull()
    expect(await ring.find({ id: null, algorithm: 'EdDSA' })).toBe(only)
    expect(await ring.find({ id: null, algorithm: 'HS256' })).toBeNull()
  })

  test('publishes public keys for verification, and no secret of any kind', async () => {
    const keys = (await Promise.all((['ES256', 'HS256', 'RS256', 'PS256', 'EdDSA'] as const).map(generateJwtKey))) as [
      JwtKey,
    ]
    const ring = createKeyRing({ keys })
    const jwks = await ring.jwks()
    expect(jwks.keys.map(({ alg }) => alg)).toEqual(['ES256', 'RS256', 'PS256', 'EdDSA'])
    expect(JSON.stringify(jwks)).not.toMatch(/"(d|p|q|dp|dq|qi|k|oth)":/)
    for (const jwk of jwks.keys) expect(jwk).toMatchObject({ use: 'sig', kid: expect.stringMatching(/^[\w-]{22}$/) })
    const { token } = await createJwtSigner({ issuer, audience, keys: ring }).sign({ sub: 'acc_1' })
    const { payload } = await jwtVerify(token, createLocalJWKSet({ keys: jwks.keys.map((jwk) => ({ ...jwk })) }), {
      issuer,
    })
    expect(payload.sub).toBe('acc_1')
  })

  test('signs with a new key after a rotation, while the old one verifies until its last token has expired', async () => {
    const { now, advance } = createClock()
    const ring = createKeyRing({ keys: [await generateJwtKey('HS256')], now })
    const signer = createJwtSigner({ issuer, audience, keys: ring, now })
    const verifier = createJwtVerifier({
      issuer,
      audience,
      algorithms: ['HS256'],
      keys: ring,
      clockToleranceSeconds: 300,
      now,
    })
    const before = await ring.signingKey()
    const { token } = await signer.sign({ sub: 'acc_1' })
    const after = await ring.rotate()
    expect(after.id).not.toBe(before.id)
    expect(after.algorithm).toBe(before.algorithm)
    expect(await ring.signingKey()).toBe(after)
    expect((await verifier.verify((await signer.sign({ sub: 'acc_1' })).token)).ok).toBe(true)
    advance(1199)
    expect((await verifier.verify(token)).ok).toBe(true)
    advance(1)
    expect(await ring.find({ id: before.id, algorithm: 'HS256' })).toBeNull()
    expect(await verifier.verify(token)).toEqual({ ok: false, reason: 'key' })
    expect(await ring.find({ id: after.id, algorithm: 'HS256' })).toBe(after)
  })

  test('keeps retired keys for the longest lifetime of a token', async () => {
    const { now, advance } = createClock()
    const first = await generateJwtKey('HS256')
    const ring = createKeyRing({ keys: [first], maxLifetimeSeconds: 86_400, now })
    await ring.rotate()
    await ring.rotate()
    advance(86_400)
    expect(await ring.find({ id: first.id, algorithm: 'HS256' })).toBe(first)
    advance(300)
    expect(await ring.find({ id: first.id, algorithm: 'HS256' })).toBeNull()
    await ring.rotate()
    expect((await ring.jwks()).keys).toEqual([])
  })

  test('is refused when it cannot sign, or two keys have the same id', async () => {
    const { jwks } = createKeyRing({ keys: [await generateJwtKey('EdDSA')] })
    const [jwk] = (await jwks()).keys
    const publicKey = await importJwtKey({ id: 'public', algorithm: 'EdDSA', jwk: jwk! })
    const key = await importJwtKey({ id: 'public', algorithm: 'HS256', bytes: secret })
    expect(() => createKeyRing({ keys: [] as never })).toThrow('"keys"')
    expect(() => createKeyRing({ keys: undefined as never })).toThrow('"keys"')
    expect(() => createKeyRing({ keys: [publicKey] })).toThrow('"keys"')
    expect(() => createKeyRing({ keys: [key, publicKey] })).toThrow('"keys"')
    expect(() => createKeyRing({ keys: [key], maxLifetimeSeconds: 0 })).toThrow('"maxLifetimeSeconds"')
  })
})
