import { createCredential, parseCredential } from '@latchkey/store'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

const valid = createCredential('se').text
const [validKey = '', validSecret = ''] = valid.split('.')

describe('a credential', () => {
  test('is a key that names its kind and 16 random bytes, a dot and 32 secret bytes', () => {
    const { key, secret, text } = createCredential('se')
    expect(key).toMatch(/^se_[\w-]{22}$/)
    expect(secret).toHaveLength(32)
    expect(text).toBe(`${key}.${Buffer.from(secret).toString('base64url')}`)
  })

  test('never repeats', () => {
    const credentials = Array.from({ length: 1000 }, () => createCredential('se'))
    expect(new Set(credentials.map(({ key }) => key)).size).toBe(1000)
    expect(new Set(credentials.map(({ secret }) => secret.join())).size).toBe(1000)
  })

  test('can be parsed for any kind and length', () => {
    const kinds = fc.string({ unit: fc.constantFrom(...'abcxyz'), minLength: 1, maxLength: 8 })
    fc.assert(
      fc.property(kinds, fc.integer({ min: 16, max: 256 }), (kind, secretBytes) => {
        const { key, secret, text } = createCredential(kind, secretBytes)
        expect(parseCredential(kind, text, secretBytes)).toEqual({ key, secret })
      }),
    )
  })

  test.each(['', 'Se', 'abcdefghi', 'a_b', 's1', 'é', 'se\n'])('cannot have the kind %j', (kind) => {
    expect(() => createCredential(kind)).toThrow(new TypeError('"kind" must be 1 to 8 lower-case letters'))
  })

  test.each([0, 15, 257, 32.5, Number.NaN, -32])('cannot have a secret of %d bytes', (secretBytes) => {
    expect(() => createCredential('se', secretBytes)).toThrow(/^"secretBytes" must be/)
  })
})

describe('parsing a credential', () => {
  test.each([
    ['nothing', null],
    ['undefined', undefined],
    ['an empty text', ''],
    ['another kind', createCredential('rt').text],
    ['a kind that begins alike', createCredential('ses').text],
    ['a kind in upper case', valid.replace('se_', 'SE_')],
    ['another length', createCredential('se', 48).text],
    ['a key alone', validKey],
    ['an empty secret', `${validKey}.`],
    ['no dot', valid.replace('.', '')],
    ['another separator', valid.replace('.', ':')],
    ['two dots', `${validKey}..${validSecret.slice(1)}`],
    ['a space in front', ` ${valid}`],
    ['a line break at the end', `${valid}\n`],
    ['padding', `${valid}=`],
    ['padding in place of a character', `${valid.slice(0, -1)}=`],
    ['the other alphabet in the key', `se_${'+'.repeat(22)}.${validSecret}`],
    ['the other alphabet in the secret', `${validKey}.${'/'.repeat(43)}`],
    ['set bits after the last byte of the key', `se_${'A'.repeat(21)}B.${validSecret}`],
    ['set bits after the last byte of the secret', `${validKey}.${'A'.repeat(42)}B`],
    ['percent encoding', `${validKey}%2E${validSecret}`.slice(0, valid.length)],
    ['a full-width letter', `${valid.slice(0, -1)}Ｚ`],
    ['16 MB', `${validKey}.${'A'.repeat(16_000_000)}`],
  ])('%s returns null', (_what, text) => {
    expect(parseCredential('se', text)).toBeNull()
  })

  test('returns null for a value that is not a text', () => {
    for (const value of [1, true, {}, [], [valid], { length: valid.length }]) {
      expect(parseCredential('se', value as string)).toBeNull()
    }
  })

  test('never throws, and every parsed credential has a single spelling', () => {
    const texts = fc.oneof(
      fc.string(),
      fc.string({ unit: anyCharacter, minLength: valid.length, maxLength: valid.length }),
      fc
        .tuple(fc.nat({ max: valid.length - 1 }), fc.string({ minLength: 1, maxLength: 1 }))
        .map(([index, character]) => {
          return valid.slice(0, index) + character + valid.slice(index + 1)
        }),
    )
    fc.assert(
      fc.property(texts, (text) => {
        const parsed = parseCredential('se', text)
        if (parsed) expect(`${parsed.key}.${Buffer.from(parsed.secret).toString('base64url')}`).toBe(text)
      }),
    )
  })
})
