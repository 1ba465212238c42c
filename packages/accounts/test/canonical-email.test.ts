import { canonicalEmail } from '@latchkey/accounts'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

describe('an address has one spelling', () => {
  test.each([
    [' Reader@Example.COM\n', 'reader@example.com'],
    ["o'brien+news_1@mail.example.co.uk", "o'brien+news_1@mail.example.co.uk"],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['ΣΊΣΥΦΟΣ@example.gr', 'σίσυφος@example.gr'],
    ['İ@example.com', 'i̇@example.com'],
    ['\u0130\u0325@example.com', 'i\u0325\u0307@example.com'],
    ['user@bücher.example', 'user@bücher.example'],
    ['user@xn--bcher-kva.example', 'user@xn--bcher-kva.example'],
    // The Kelvin sign: mail goes to the canonical spelling, so whoever typed this does not get it.
    ['\u212aing@example.com', 'king@example.com'],
  ])('%j is %j', (text, email) => {
    expect(canonicalEmail(text)).toBe(email)
    expect(canonicalEmail(email)).toBe(email)
  })

  test('which is its own canonical form, for any input', () => {
    const part = fc.string({ unit: fc.constantFrom(...'aZ0._-+@İΣςK\u0301\u0325é ß'), maxLength: 20 })
    fc.assert(
      fc.property(
        fc.oneof(
          fc.emailAddress(),
          fc.tuple(part, part).map(([a, b]) => `${a}@${b}.com`),
        ),
        (text) => {
          const email = canonicalEmail(text)
          if (email !== null) expect(canonicalEmail(email)).toBe(email)
        },
      ),
    )
  })

  test('or the result is null, and nothing throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: 'binary' }), (text) => {
        const email = canonicalEmail(text)
        expect(email === null || email.includes('@')).toBe(true)
      }),
    )
  })
})

describe('not an address:', () => {
  test.each([
    '',
    '@',
    'reader',
    '@example.com',
    'reader@',
    'reader@example',
    'reader@example..com',
    'reader@.example.com',
    'reader@example.com.',
    'reader@-example.com',
    'reader@example-.com',
    'reader@[127.0.0.1]',
    'reader@exam ple.com',
    'rea der@example.com',
    '.reader@example.com',
    'reader.@example.com',
    'rea..der@example.com',
    '"reader"@example.com',
    'reader@home@example.com',
    'reader@example.com,other@example.com',
    'reader@example.com\r\nBcc: other@example.com',
    'reader@exa\0mple.com',
    'Reader <reader@example.com>',
    'reader@example.com\u200b',
    'rea\u202eder@example.com',
    'reader\ud800@example.com',
    `${'a'.repeat(65)}@example.com`,
    `a@${'a'.repeat(64)}.com`,
    `a@${'a.'.repeat(130)}com`,
  ])('%.60j', (text) => {
    expect(canonicalEmail(text)).toBeNull()
  })

  test('ten megabytes, which are not read', () => {
    expect(canonicalEmail(`${'a'.repeat(10_000_000)}@example.com`)).toBeNull()
  })

  test.each([null, undefined, 7, {}, ['reader@example.com']])('%j, which is not a text', (value) => {
    expect(canonicalEmail(value as unknown as string)).toBeNull()
  })
})
