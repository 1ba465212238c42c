import { createHash, createHmac, hkdfSync } from 'node:crypto'
import { deriveSecrets, hmacSha256, randomBytes, type SecretKeys, sha256 } from '@latchkey/bytes'
import { isSha256Of } from '@latchkey/bytes/internal'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const hex = (bytes: Uint8Array) => Buffer.from(bytes).toString('hex')
/** Any text, including lone surrogates, and any bytes. */
const anyData = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc.string({ unit: 'grapheme' }),
  fc.uint8Array({ maxLength: 300 }),
)
const anySecret = fc.uint8Array({ minLength: 32, maxLength: 200 })
const secrets: SecretKeys = [
  { id: 'new', bytes: new Uint8Array(32).fill(1) },
  { id: 'old', bytes: new Uint8Array(32).fill(2) },
]

describe('sha256', () => {
  test.each([
    // FIPS 180-4, the examples of NIST's cryptographic standards page.
    ['', 'e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855'],
    ['abc', 'ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad'],
  ])('returns the published digest of %j', (text, digest) => {
    expect(hex(sha256(text))).toBe(digest)
    expect(hex(sha256(new TextEncoder().encode(text)))).toBe(digest)
  })
})

describe('isSha256Of', () => {
  const digest = sha256('token')

  test('accepts the digest of a text and of its bytes', () => {
    expect(isSha256Of(digest, 'token')).toBe(true)
    expect(isSha256Of(digest, new TextEncoder().encode('token'))).toBe(true)
  })

  test.each([
    ['another token', digest, 'tokem'],
    ['no bytes', new Uint8Array(), 'token'],
    ['the beginning of the digest', digest.slice(0, 31), 'token'],
    ['more than the digest', new Uint8Array([...digest, 0]), 'token'],
    ['zeros', new Uint8Array(32), 'token'],
  ])('refuses %s', (_what, bytes, token) => {
    expect(isSha256Of(bytes, token)).toBe(false)
  })

  test('refuses a digest with any one bit changed', () => {
    for (let bit = 0; bit < 256; bit++) {
      const changed = digest.map((byte, index) => (index === bit >> 3 ? byte ^ (1 << (bit & 7)) : byte))
      expect(isSha256Of(changed, 'token')).toBe(false)
    }
  })
})

describe('hmacSha256', () => {
  test('returns the published result of RFC 4231, case 1', () => {
    expect(hex(hmacSha256(new Uint8Array(20).fill(0x0b), 'Hi There'))).toBe(
      'b0344c61d8db38535ca8afceaf0bf12b881dc200c9833da726e9376c2e32cff7',
    )
  })

  test('refuses a key of less than 16 bytes', () => {
    expect(() => hmacSha256(new Uint8Array(15), 'x')).toThrow(TypeError)
  })
})

describe('deriveSecrets', () => {
  test('derives another key for each purpose and keeps the ids', () => {
    const [first] = deriveSecrets(secrets, 'one')
    const [other, old] = deriveSecrets(secrets, 'two')
    expect([other.id, old?.id]).toEqual(['new', 'old'])
    expect(first.bytes).toHaveLength(32)
    expect(first.bytes).not.toEqual(other.bytes)
    expect(deriveSecrets(secrets, 'one')[0]).toEqual(first)
  })

  test.each([
    ['no secret', []],
    ['a short secret', [{ id: 'a', bytes: new Uint8Array(31) }]],
    ['a text', [{ id: 'a', bytes: 'x'.repeat(40) }]],
    ['an id with a dot', [{ id: 'a.b', bytes: randomBytes(32) }]],
    ['an id that stands twice', [secrets[0], secrets[0]]],
  ])('refuses %s when it is called', (_what, given) => {
    expect(() => deriveSecrets(given as unknown as SecretKeys, 'one')).toThrow(TypeError)
  })

  test('refuses an empty purpose', () => {
    expect(() => deriveSecrets(secrets, '')).toThrow(TypeError)
  })
})

// Run on Node.js's hashes and, in the project `portable`, on those of every other runtime: both return these bytes.
describe('every implementation of the hashes', () => {
  test('sha256 returns the bytes of OpenSSL, and isSha256Of accepts them', () => {
    fc.assert(
      fc.property(anyData, (data) => {
        const digest = sha256(data)
        expect(hex(digest)).toBe(createHash('sha256').update(data).digest('hex'))
        expect(isSha256Of(digest, data)).toBe(true)
      }),
    )
  })

  test('hmacSha256 returns the bytes of OpenSSL', () => {
    fc.assert(
      fc.property(fc.uint8Array({ minLength: 16, maxLength: 200 }), anyData, (key, data) => {
        expect(hex(hmacSha256(key, data))).toBe(createHmac('sha256', key).update(data).digest('hex'))
      }),
    )
  })

  test.each([1, 2000])('deriveSecrets returns the bytes of HKDF for purposes of %i characters and more', (length) => {
    const anyPurpose = fc.string({ minLength: length, maxLength: length + 20 })
    fc.assert(
      fc.property(anySecret, anyPurpose, (bytes, purpose) => {
        const [derived] = deriveSecrets([{ id: 'a', bytes }], purpose)
        expect(hex(derived.bytes)).toBe(hex(expandOnce(bytes, `latchkey/${purpose}`)))
      }),
      { numRuns: 25 },
    )
  })

  test('deriveSecrets agrees with the HKDF of OpenSSL', () => {
    const [derived] = deriveSecrets(secrets, 'one')
    expect(hex(derived.bytes)).toBe(hex(new Uint8Array(hkdfSync('sha256', secrets[0].bytes, '', 'latchkey/one', 32))))
  })
})

/** RFC 5869 §2.2 and §2.3 for one block; `hkdfSync` accepts at most 1024 bytes of `info`. */
function expandOnce(secret: Uint8Array, info: string): Uint8Array {
  const extracted = createHmac('sha256', new Uint8Array(32)).update(secret).digest()
  return createHmac('sha256', extracted)
    .update(info)
    .update(new Uint8Array([1]))
    .digest()
}
