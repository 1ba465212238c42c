import { createHmac } from 'node:crypto'
import { decodeBase64url, encodeBase64url } from '@latchkey/bytes'
import {
  createJwtSigner,
  createJwtVerifier,
  createKeyRing,
  generateJwtKey,
  importJwtKey,
  type JwtAlgorithm,
} from '@latchkey/jwt'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { audience, claims, createHmacVerifier, encode, forge, header, issuer, now } from './forge-token.ts'

const all: readonly JwtAlgorithm[] = ['HS256', 'RS256', 'PS256', 'ES256', 'EdDSA']
const segment = fc.string({ unit: fc.constantFrom(...'AQgwZz09-_=+/ .') })

describe('any text gets a verdict and no exception', () => {
  test.each([
    ['any characters', fc.string({ unit: anyCharacter })],
    ['segments', fc.array(segment, { maxLength: 6 }).map((parts) => parts.join('.'))],
    ['signed JSON', fc.tuple(fc.json(), fc.json()).map(([one, other]) => forge(one, other))],
    ['a signed header of anything', fc.object().map((members) => forge({ ...header, ...members }))],
    [
      'signed claims of anything',
      fc
        .dictionary(fc.constantFrom(...Object.keys(claims), 'nbf', 'role', 'epoch'), fc.jsonValue())
        .map((members) => forge(header, { ...claims, ...members })),
    ],
  ] as const)('%s', async (_what, texts) => {
    const verifier = await createHmacVerifier()
    await fc.assert(
      fc.asyncProperty(texts, async (text) => {
        const verdict = await verifier.verify(text)
        expect(verdict.ok ? typeof verdict.claims : typeof verdict.reason).toBe(verdict.ok ? 'object' : 'string')
      }),
      { numRuns: 300 },
    )
  })

  test.each(all)('%s signatures of any length', async (algorithm) => {
    const key = await generateJwtKey(algorithm)
    const verifier = createJwtVerifier({
      issuer,
      audience,
      algorithms: [algorithm],
      keys: createKeyRing({ keys: [key] }),
      now,
    })
    await fc.assert(
      fc.asyncProperty(fc.uint8Array({ minLength: 1, maxLength: 300 }), async (bytes) => {
        const signature = Buffer.from(bytes).toString('base64url')
        const text = `${encode({ alg: algorithm, typ: 'JWT', kid: key.id })}.${encode(claims)}.${signature}`
        expect(await verifier.verify(text)).toEqual({ ok: false, reason: 'signature' })
      }),
      { numRuns: 60 },
    )
  })
})

test('a signature is malformed exactly if it is not the only spelling of its bytes', async () => {
  const verifier = await createHmacVerifier()
  const token = forge(header, claims)
  const signed = token.slice(0, token.lastIndexOf('.') + 1)
  const written = fc.uint8Array({ minLength: 1, maxLength: 40 }).map((bytes) => encodeBase64url(bytes))
  const nearby = fc.tuple(written, segment).map(([text, more]) => `${text.slice(0, -1)}${more}`)
  const texts = fc
    .oneof(written, nearby, fc.string({ unit: anyCharacter }))
    .filter((text) => text !== '' && !text.includes('.'))
  await fc.assert(
    fc.asyncProperty(texts, async (text) => {
      const reason = decodeBase64url(text) === null ? 'malformed' : 'signature'
      expect(await verifier.verify(`${signed}${text}`)).toEqual({ ok: false, reason })
    }),
    { numRuns: 1000 },
  )
})

describe('every signed token', () => {
  const names = fc
    .string({ minLength: 1 })
    .filter((name) => !(name in claims) && !['__proto__', 'nbf', 'role', 'sid', 'epoch'].includes(name))
  const values = fc
    .jsonValue({ noUnicodeString: false, maxDepth: 3 })
    .filter((value) => !JSON.stringify(value).includes('"__proto__"'))

  test.each(all)('is verified with any claims: %s', async (algorithm) => {
    const keys = createKeyRing({ keys: [await generateJwtKey(algorithm)] })
    const signer = createJwtSigner({ issuer, audience, keys, now })
    const verifier = createJwtVerifier({ issuer, audience, algorithms: [algorithm], keys, now })
    await fc.assert(
      fc.asyncProperty(fc.dictionary(names, values, { maxKeys: 5 }), async (more) => {
        const { token, jti } = await signer.sign({ ...more, sub: 'acc_1' })
        const verdict = await verifier.verify(token)
        const expected = JSON.parse(JSON.stringify({ ...more, ...claims, jti }))
        expect(verdict).toEqual({ ok: true, claims: expected })
      }),
      { numRuns: 30 },
    )
  })

  test('is refused if one character is changed', async () => {
    const verifier = await createHmacVerifier()
    const token = forge()
    await fc.assert(
      fc.asyncProperty(fc.nat(token.length - 1), fc.constantFrom(...'Aa0-_=. '), async (index, character) => {
        fc.pre(token[index] !== character)
        const verdict = await verifier.verify(`${token.slice(0, index)}${character}${token.slice(index + 1)}`)
        expect(verdict.ok).toBe(false)
      }),
      { numRuns: 500 },
    )
  })
})

describe('the HMAC of HS256', () => {
  // 64 bytes fill a block of SHA-256; longer secrets are hashed first (RFC 2104 §2).
  const secrets = fc.oneof(fc.uint8Array({ minLength: 32, maxLength: 200 }), fc.constantFrom(64, 65).map(filled))

  const notes = fc.oneof(
    fc.string(),
    fc.nat({ max: 5000 }).map((length) => 'n'.repeat(length)),
  )

  test('equals RFC 2104 for secrets and claims of any length', async () => {
    await fc.assert(
      fc.asyncProperty(secrets, notes, async (bytes, note) => {
        const key = await importJwtKey({ id: '1', algorithm: 'HS256', bytes })
        const keys = createKeyRing({ keys: [key] })
        const { token } = await createJwtSigner({ issuer, audience, keys, now }).sign({ sub: 'acc_1', note })
        const dot = token.lastIndexOf('.')
        const expected = createHmac('sha256', bytes).update(token.slice(0, dot)).digest('base64url')
        expect(token.slice(dot + 1)).toBe(expected)
        const verifier = createJwtVerifier({ issuer, audience, algorithms: ['HS256'], keys, now })
        expect((await verifier.verify(token)).ok).toBe(true)
        // A short text after a long one is not hashed with the rest of it.
        expect((await verifier.verify(`${token.slice(0, dot - 4)}${token.slice(dot)}`)).ok).toBe(false)
      }),
      { numRuns: 60 },
    )
  })

  function filled(length: number): Uint8Array<ArrayBuffer> {
    return new Uint8Array(length).fill(length)
  }
})
