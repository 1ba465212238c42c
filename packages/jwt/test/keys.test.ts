import { generateKeyPairSync, type JsonWebKey } from 'node:crypto'
import { inspect } from 'node:util'
import {
  createJwtSigner,
  createJwtVerifier,
  createKeyRing,
  generateJwtKey,
  importJwtKey,
  type JwtAlgorithm,
  JwtError,
  type JwtErrorCode,
} from '@latchkey/jwt'
import { beforeAll, describe, expect, test } from 'vitest'
import { audience, issuer, secret } from './forge-token.ts'

const rsa = generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey.export({ format: 'jwk' })
const ec = generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' })
const ed = generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' })
const pairs: Readonly<Record<string, JsonWebKey>> = { RS256: rsa, PS256: rsa, ES256: ec, EdDSA: ed }
const all: readonly JwtAlgorithm[] = ['HS256', 'RS256', 'PS256', 'ES256', 'EdDSA']

const load = (algorithm: string, material: object) => importJwtKey({ id: 'key', algorithm, ...material } as never)
const expectCode = async (made: Promise<unknown>, code: JwtErrorCode) => {
  const error = await made.then(
    () => null,
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(JwtError)
  expect(error).toMatchObject({ name: 'JwtError', code })
}

describe('a generated key', () => {
  test.each(all)('has its own id, exposes no other member and signs, for %s', async (algorithm) => {
    const [key, other] = await Promise.all([generateJwtKey(algorithm), generateJwtKey(algorithm)])
    expect(key).toEqual({ id: expect.stringMatching(/^[\w-]{22}$/), algorithm, canSign: true })
    expect(other.id).not.toBe(key.id)
    expect(Object.isFrozen(key)).toBe(true)
    expect(Reflect.ownKeys(key)).toEqual(['id', 'algorithm', 'canSign'])
    expect(inspect(key, { showHidden: true, depth: 9 })).not.toMatch(/CryptoKey|KeyObject/)
  })

  test.each(['none', 'HS512', 'ES384', '', 'toString'])('is refused for the algorithm %j', async (algorithm) => {
    await expect(generateJwtKey(algorithm as never)).rejects.toThrow(TypeError)
  })
})

describe('an imported key', () => {
  test.each(Object.keys(pairs))(
    'signs with its private half and verifies with its public half, for %s',
    async (algorithm) => {
      const { d: _d, p: _p, q: _q, dp: _dp, dq: _dq, qi: _qi, ...open } = pairs[algorithm]!
      const privateKey = await load(algorithm, { jwk: pairs[algorithm] })
      const publicKey = await load(algorithm, { jwk: open })
      expect([privateKey.canSign, publicKey.canSign]).toEqual([true, false])
      const { token } = await createJwtSigner({ issuer, audience, keys: createKeyRing({ keys: [privateKey] }) }).sign({
        sub: 'a',
      })
      const keys = { find: async () => publicKey }
      const verifier = createJwtVerifier({ issuer, audience, algorithms: [privateKey.algorithm], keys })
      expect(await verifier.verify(token)).toMatchObject({ ok: true, claims: { sub: 'a' } })
    },
  )

  test.each<[string, string, object]>([
    ['a text as secret', 'HS256', { bytes: 'a'.repeat(64) }],
    ['a list as secret', 'HS256', { bytes: [...secret] }],
    ['a JWK as secret', 'HS256', { jwk: { kty: 'oct', k: 'A'.repeat(43) } }],
    ['a PEM text', 'RS256', { jwk: '-----BEGIN PUBLIC KEY-----' }],
    ['bytes for a key pair', 'ES256', { bytes: secret }],
    ['no JWK', 'EdDSA', { jwk: null }],
    ['no algorithm', 'none', { jwk: rsa }],
    ['a name of every object as algorithm', 'constructor', { jwk: rsa }],
    ['an algorithm that is not spoken', 'RS512', { jwk: rsa }],
    ['an empty id', 'HS256', { bytes: secret, id: '' }],
    ['an id with a line break', 'HS256', { bytes: secret, id: 'a\nb' }],
    ['an id that is too long', 'HS256', { bytes: secret, id: 'a'.repeat(129) }],
    ['an id that is a number', 'HS256', { bytes: secret, id: 1 }],
  ])('cannot be created from %s', async (_what, algorithm, material) => {
    const error = await load(algorithm, material).catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(TypeError)
    expect(String(error)).toMatch(/^TypeError: "(id|algorithm|bytes|jwk)" must/)
  })

  test.each([0, 16, 31])('is weak if it has %d secret bytes', async (length) => {
    await expectCode(load('HS256', { bytes: new Uint8Array(length) }), 'JWT_KEY_WEAK')
  })

  describe('an imported RSA key', () => {
    let small: JsonWebKey
    beforeAll(() => {
      small = generateKeyPairSync('rsa', { modulusLength: 1024 }).publicKey.export({ format: 'jwk' })
    })
    const open = { kty: 'RSA', n: rsa.n, e: rsa.e }
    const exponent = (...bytes: number[]) => ({ ...open, e: Buffer.from(bytes).toString('base64url') })
    const padded = (n: string) => Buffer.concat([Buffer.alloc(128), Buffer.from(n, 'base64url')]).toString('base64url')

    test.each(['RS256', 'PS256'])('under 2048 bits is weak (%s)', async (algorithm) => {
      await expectCode(load(algorithm, { jwk: small }), 'JWT_KEY_WEAK')
      await expectCode(load(algorithm, { jwk: { ...small, n: padded(small.n!) } }), 'JWT_KEY_WEAK')
    })

    test('is weak if it has 2047 bits', async () => {
      const n = Buffer.from(rsa.n!, 'base64url')
      n[0] = 0x7f
      await expectCode(load('RS256', { jwk: { ...open, n: n.toString('base64url') } }), 'JWT_KEY_WEAK')
    })

    test.each([[[1]], [[3]], [[17]], [[0xff, 0xff]], [[1, 0, 0]], [[1, 0, 2]], [[0, 0, 0, 3]]])(
      'is weak if its exponent is %j',
      async (bytes) => {
        await expectCode(load('RS256', { jwk: exponent(...bytes) }), 'JWT_KEY_WEAK')
      },
    )

    test('is accepted with a larger odd exponent', async () => {
      expect((await load('RS256', { jwk: exponent(1, 0, 3) })).canSign).toBe(false)
    })
  })

  test.each<[string, string, object]>([
    ['RSA for ES256', 'ES256', rsa],
    ['RSA for EdDSA', 'EdDSA', rsa],
    ['EC for RS256', 'RS256', ec],
    ['EC for EdDSA', 'EdDSA', ec],
    ['Ed25519 for ES256', 'ES256', ed],
    [
      'P-384 for ES256',
      'ES256',
      generateKeyPairSync('ec', { namedCurve: 'P-384' }).publicKey.export({ format: 'jwk' }),
    ],
    ['secp256k1 for ES256', 'ES256', { ...ec, crv: 'secp256k1' }],
    ['X25519 for EdDSA', 'EdDSA', generateKeyPairSync('x25519').publicKey.export({ format: 'jwk' })],
    ['Ed448 for EdDSA', 'EdDSA', generateKeyPairSync('ed448').publicKey.export({ format: 'jwk' })],
    ['a symmetric key for RS256', 'RS256', { kty: 'oct', k: 'A'.repeat(43) }],
    ['a key without a type', 'ES256', { ...ec, kty: undefined }],
    ['a list', 'ES256', []],
    ['a key of another algorithm', 'PS256', { ...rsa, alg: 'RS256' }],
    ['a key for encryption by algorithm', 'RS256', { ...rsa, alg: 'RSA-OAEP' }],
    ['a key for encryption by use', 'RS256', { ...rsa, use: 'enc' }],
    ['a key for encryption by operation', 'RS256', { ...rsa, key_ops: ['encrypt'] }],
    ['operations that are no list', 'RS256', { ...rsa, key_ops: 'sign' }],
    ['a key for no operation', 'RS256', { ...rsa, key_ops: [] }],
  ])('cannot be created from %s', async (_what, algorithm, jwk) => {
    await expectCode(load(algorithm, { jwk }), 'JWT_KEY_MISMATCH')
  })

  test.each([[['sign']], [['verify']], [['verify', 'encrypt']]])('may be for the operations %j', async (operations) => {
    expect(await load('ES256', { jwk: { ...ec, key_ops: operations } })).toMatchObject({ algorithm: 'ES256' })
  })

  const long = Buffer.concat([Buffer.alloc(1), Buffer.from(ec.x!, 'base64url')]).toString('base64url')
  const short = Buffer.from(ec.x!, 'base64url').subarray(1).toString('base64url')
  test.each<[string, string, object]>([
    [
      'halves of different EC keys',
      'ES256',
      { ...ec, d: generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey.export({ format: 'jwk' }).d },
    ],
    [
      'halves of different Ed25519 keys',
      'EdDSA',
      { ...ed, d: generateKeyPairSync('ed25519').privateKey.export({ format: 'jwk' }).d },
    ],
    [
      'halves of different RSA keys',
      'RS256',
      { ...rsa, n: generateKeyPairSync('rsa', { modulusLength: 2048 }).publicKey.export({ format: 'jwk' }).n },
    ],
    ['a point off the curve', 'ES256', { ...ec, d: undefined, y: ec.x }],
    ['a coordinate that is short', 'ES256', { ...ec, x: short }],
    ['a coordinate that is long', 'ES256', { ...ec, x: long }],
    ['a coordinate with padding', 'ES256', { ...ec, x: `${ec.x}=` }],
    ['a coordinate that is missing', 'ES256', { ...ec, y: undefined }],
    ['a coordinate that is a number', 'ES256', { ...ec, y: 7 }],
    ['an Ed25519 key that is long', 'EdDSA', { ...ed, x: `${ed.x}AAAA` }],
    ['a private key that is empty', 'EdDSA', { ...ed, d: '' }],
    ['RSA without its primes', 'RS256', { ...rsa, p: undefined, q: undefined }],
    ['RSA with white space', 'RS256', { ...rsa, n: ` ${rsa.n}` }],
    ['RSA without an exponent', 'RS256', { ...rsa, e: undefined }],
  ])('cannot be created from %s', async (_what, algorithm, jwk) => {
    await expectCode(load(algorithm, { jwk }), 'JWT_KEY_INVALID')
  })

  test('is not shown in its error', async () => {
    for (const jwk of [
      { ...ec, y: ec.x },
      { ...rsa, n: rsa.p },
      { ...ed, x: ed.d, d: ed.x },
    ]) {
      const error = await importJwtKey({ id: 'key', algorithm: 'ES256', jwk } as never).catch(
        (reason: unknown) => reason,
      )
      const text = inspect(error, { depth: 9, showHidden: true })
      for (const part of [ec.d, rsa.p, ed.d]) expect(text).not.toContain(part)
    }
  })
})

test('a key that this package did not create is refused', async () => {
  const key = await generateJwtKey('HS256')
  expect(() => createKeyRing({ keys: [{ ...key }] as never })).toThrow(TypeError)
  expect(() => createKeyRing({ keys: ['secret'] as never })).toThrow(TypeError)
  const keys = { find: async () => ({ ...key }) as typeof key }
  const { token } = await createJwtSigner({ issuer, audience, keys: createKeyRing({ keys: [key] }) }).sign({ sub: 'a' })
  const verifier = createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys })
  await expect(verifier.verify(token)).rejects.toThrow(TypeError)
})
