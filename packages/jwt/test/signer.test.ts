import {
  allowLongLifetime,
  createJwtSigner,
  createKeyRing,
  generateJwtKey,
  importJwtKey,
  type JwtClaims,
  type KeyRing,
} from '@latchkey/jwt'
import { decodeJwt, decodeProtectedHeader } from 'jose'
import { beforeAll, describe, expect, test } from 'vitest'
import { audience, createHmacVerifier, issuer, now, seconds, secret } from './forge-token.ts'

let keys: KeyRing
beforeAll(async () => {
  keys = createKeyRing({ keys: [await importJwtKey({ id: 'hmac', algorithm: 'HS256', bytes: secret })] })
})
type Options = Parameters<typeof createJwtSigner>[0]
const create = (options: Partial<Options> = {}) => createJwtSigner({ issuer, audience, keys, now, ...options })

describe('a signed token', () => {
  test('names issuer, audience, times, its own id and its key, and is valid for 15 minutes', async () => {
    const { token, expiresAt, jti } = await create().sign({ sub: 'acc_1', role: 'AUTHOR', sid: 'se_1', epoch: 2 })
    expect(decodeProtectedHeader(token)).toEqual({ alg: 'HS256', typ: 'JWT', kid: 'hmac' })
    const times = { iat: seconds, exp: seconds + 900 }
    const expected = { iss: issuer, aud: audience, sub: 'acc_1', role: 'AUTHOR', sid: 'se_1', epoch: 2, ...times, jti }
    expect(decodeJwt(token)).toEqual(expected)
    expect(expiresAt).toBe((seconds + 900) * 1000)
    expect(jti).toMatch(/^[\w-]{22}$/)
  })

  test('has another id each time', async () => {
    const tokens = await Promise.all(Array.from({ length: 100 }, () => create().sign({ sub: 'acc_1' })))
    expect(new Set(tokens.map(({ jti }) => jti)).size).toBe(100)
  })

  test('has its times in whole seconds, rounded down', async () => {
    const { token } = await create({ now: () => seconds * 1000 + 999 }).sign({ sub: 'acc_1' })
    expect(decodeJwt(token)).toMatchObject({ iat: seconds, exp: seconds + 900 })
  })

  test('expires at the given instant, and never later than its lifetime', async () => {
    const signed = (endsAt?: number) => create().sign({ sub: 'acc_1' }, endsAt === undefined ? {} : { endsAt })
    const ends = seconds * 1000
    for (const [endsAt, exp] of [
      [ends + 60_000, seconds + 60],
      [ends + 60_999, seconds + 60],
      [ends + 900_000, seconds + 900],
      [ends + 901_000, seconds + 900],
      [undefined, seconds + 900],
    ] as const) {
      const { token, expiresAt } = await signed(endsAt)
      expect([decodeJwt(token).exp, expiresAt]).toEqual([exp, exp * 1000])
    }
    for (const endsAt of [ends, ends + 999, 0, Number.NaN]) await expect(signed(endsAt)).rejects.toThrow('"endsAt"')
  })

  test('omits what is undefined', async () => {
    const { token } = await create().sign({ sub: 'acc_1', role: undefined, sid: undefined, other: undefined })
    expect(Object.keys(decodeJwt(token)).sort()).toEqual(['aud', 'exp', 'iat', 'iss', 'jti', 'sub'])
    const own = { iss: undefined, aud: undefined, exp: undefined, iat: undefined, jti: undefined }
    const other = await create().sign({ sub: 'acc_1', ...own } as never)
    expect(decodeJwt(other.token)).toMatchObject({ iss: issuer, aud: audience, iat: seconds, jti: other.jti })
  })

  test('may be of another type', async () => {
    const { token } = await create({ typ: 'at+jwt' }).sign({ sub: 'acc_1' })
    expect(decodeProtectedHeader(token).typ).toBe('at+jwt')
    expect(await (await createHmacVerifier()).verify(token)).toEqual({ ok: false, reason: 'type' })
  })
})

describe('claims are refused', () => {
  test.each(['iss', 'aud', 'exp', 'iat', 'nbf', 'jti'])('if the signer sets them itself: %s', async (name) => {
    await expect(create().sign({ sub: 'acc_1', [name]: 1 } as never)).rejects.toThrow(`"${name}"`)
    await expect(create().sign({ sub: 'acc_1', [name]: null } as never)).rejects.toThrow(TypeError)
  })

  test.each<[string, unknown]>([
    ['no subject', {}],
    ['an empty subject', { sub: '' }],
    ['a number as subject', { sub: 1 }],
    ['a subject with half a character', { sub: '\ud800' }],
    ['a subject that is inherited', Object.create({ sub: 'acc_1' })],
    ['a list of roles', { sub: 'acc_1', role: ['ADMIN'] }],
    ['an epoch that is no integer', { sub: 'acc_1', epoch: 1.5 }],
    ['what JSON cannot say', { sub: 'acc_1', big: 1n }],
    ['a member that readers refuse', JSON.parse('{"sub":"acc_1","__proto__":1}')],
    ['a member that readers refuse, further down', { sub: 'acc_1', more: [JSON.parse('{"__proto__":1}')] }],
  ])('with %s', async (_what, claims) => {
    await expect(create().sign(claims as JwtClaims)).rejects.toThrow(TypeError)
  })

  test('unless a text only mentions such a member', async () => {
    const { token } = await create().sign({ sub: 'acc_1', note: '"__proto__":', proto__: '__proto__' })
    expect((await (await createHmacVerifier()).verify(token)).ok).toBe(true)
  })

  test('if the token would be longer than a verifier reads', async () => {
    const sign = (length: number) => create().sign({ sub: 'acc_1', note: 'x'.repeat(length) })
    await expect(sign(6000)).rejects.toMatchObject({ name: 'JwtError', code: 'JWT_CLAIMS_TOO_LARGE' })
    const { token } = await sign(5800)
    expect((await (await createHmacVerifier()).verify(token)).ok).toBe(true)
  })
})

describe('the lifetime', () => {
  test.each([300, 301, 900])('is in the range at %d seconds', async (ttlSeconds) => {
    expect((await create({ ttlSeconds }).sign({ sub: 'acc_1' })).expiresAt).toBe((seconds + ttlSeconds) * 1000)
  })

  test.each([299, 1, 0, -900, 901, 3600, 900.5, Number.NaN, Number.POSITIVE_INFINITY])(
    'is refused at %d seconds',
    (ttlSeconds) => {
      expect(() => create({ ttlSeconds })).toThrow(TypeError)
      expect(() => create({ ttlSeconds })).toThrow('"ttlSeconds"')
    },
  )

  test('may be longer with allowLongLifetime when the ring keeps retired keys for as long', async () => {
    const longKeys = createKeyRing({ keys: [await generateJwtKey('HS256')], maxLifetimeSeconds: 3600 })
    const signer = create({ ttlSeconds: 3600, maxTtl: allowLongLifetime, keys: longKeys })
    expect((await signer.sign({ sub: 'acc_1' })).expiresAt).toBe((seconds + 3600) * 1000)
    expect(() => create({ ttlSeconds: 3601, maxTtl: allowLongLifetime, keys: longKeys })).toThrow(
      '"maxLifetimeSeconds"',
    )
    expect(() => create({ ttlSeconds: 3600, maxTtl: allowLongLifetime })).toThrow(TypeError)
    expect(() => create({ ttlSeconds: 299, maxTtl: allowLongLifetime })).toThrow(TypeError)
    expect(() => create({ ttlSeconds: 901, maxTtl: true as never, keys: longKeys })).toThrow(TypeError)
  })
})

test('a public key from any source cannot sign', async () => {
  const pair = await generateJwtKey('ES256')
  const [jwk] = (await createKeyRing({ keys: [pair], now }).jwks()).keys
  const key = await importJwtKey({ id: pair.id, algorithm: 'ES256', jwk: jwk! })
  const keys = { ...createKeyRing({ keys: [pair], now }), signingKey: async () => key }
  await expect(create({ keys }).sign({ sub: 'acc_1' })).rejects.toThrow('"keys": the signing key is a public key')
})

describe('a signer is refused at once', () => {
  test.each([
    ['issuer', ''],
    ['issuer', undefined],
    ['audience', ''],
    ['audience', ['a', 'b']],
    ['typ', ''],
    ['keys', undefined],
    ['keys', secret],
    ['keys', 'secret'],
  ])('if its %s is %j', (name, value) => {
    expect(() => create({ [name]: value } as never)).toThrow(TypeError)
    expect(() => create({ [name]: value } as never)).toThrow(`"${name}"`)
  })
})
