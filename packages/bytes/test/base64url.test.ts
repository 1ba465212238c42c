import { decodeBase64url, encodeBase64url } from '@latchkey/bytes'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const ascii = (text: string) => new TextEncoder().encode(text)

// RFC 4648 §10, without padding.
const vectors = [
  ['', ''],
  ['f', 'Zg'],
  ['fo', 'Zm8'],
  ['foo', 'Zm9v'],
  ['foob', 'Zm9vYg'],
  ['fooba', 'Zm9vYmE'],
  ['foobar', 'Zm9vYmFy'],
] as const

describe('base64url', () => {
  test.each(vectors)('the vector %j is encoded as %j and decoded again', (text, encoded) => {
    expect(encodeBase64url(ascii(text))).toBe(encoded)
    expect(decodeBase64url(encoded)).toEqual(ascii(text))
  })

  test('any bytes are encoded and decoded to the same bytes', () => {
    fc.assert(
      fc.property(fc.uint8Array({ maxLength: 100 }), (bytes) => {
        const text = encodeBase64url(bytes)
        expect(text).toBe(Buffer.from(bytes).toString('base64url'))
        expect(decodeBase64url(text)).toEqual(bytes)
      }),
    )
  })

  test('a text that decodes is the only spelling of its bytes', () => {
    fc.assert(
      fc.property(fc.string({ unit: fc.constantFrom(...'AQgwZz09-_=+/ \n') }), (text) => {
        const bytes = decodeBase64url(text)
        if (bytes) expect(encodeBase64url(bytes)).toBe(text)
      }),
    )
  })

  test.each([
    ['padding', 'Zg=='],
    ['the other alphabet', '+/+/'],
    ['white space inside', 'Zm 9v'],
    ['a line break at the end', 'Zm9v\n'],
    ['an impossible length', 'Zm9vY'],
    ['set bits after the last byte', 'Zh'],
    ['set bits after the second byte', 'Zm9'],
    ['a character beyond ASCII', 'Zm9ä'],
    ['a full-width letter', 'Ｚm9v'],
  ])('%s is refused', (_what, text) => {
    expect(decodeBase64url(text)).toBeNull()
  })
})
