import { canonicalEmail } from '@latchkey/accounts'
import { anyCharacter } from '@latchkey/test-services/any-character'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'

describe('canonicalEmail returns the canonical spelling', () => {
  test.each([
    [' Reader@Example.COM\n', 'reader@example.com'],
    ["o'brien+news_1@mail.example.co.uk", "o'brien+news_1@mail.example.co.uk"],
    ['first.last@example.com', 'first.last@example.com'],
    ['jose\u0301@example.com', 'jos\u00e9@example.com'],
    ['ΣΊΣΥΦΟΣ@example.gr', 'σίσυφος@example.gr'],
    ['İ@example.com', 'i̇@example.com'],
    ['\u0130\u0325@example.com', 'i\u0325\u0307@example.com'],
    ['user@bücher.example', 'user@xn--bcher-kva.example'],
    ['user@xn--bcher-kva.example', 'user@xn--bcher-kva.example'],
    // The Kelvin sign: mail goes to the canonical spelling, so who typed this does not get it.
    ['\u212aing@example.com', 'king@example.com'],
  ])('%j is %j', (text, email) => {
    expect(canonicalEmail(text)).toBe(email)
    expect(canonicalEmail(email)).toBe(email)
  })

  test('canonicalEmail accepts at most 254 characters', () => {
    const domain = `${`${'d'.repeat(60)}.`.repeat(3)}example`
    const longest = `${'a'.repeat(254 - 1 - domain.length)}@${domain}`
    expect(canonicalEmail(longest)).toBe(longest)
    expect(canonicalEmail(`a${longest}`)).toBeNull()
    expect(canonicalEmail(`${'a'.repeat(64)}@example.com`)).toBe(`${'a'.repeat(64)}@example.com`)
  })

  test('however it is surrounded, in a text of at most twice as many', () => {
    const email = 'reader@example.com'
    expect(canonicalEmail(email.padStart(508))).toBe(email)
    expect(canonicalEmail(email.padStart(509))).toBeNull()
  })

  test('the canonical form of any input is its own canonical form', () => {
    const part = fc.string({ unit: fc.constantFrom(...'aZ0._-+@İΣςK\u0301\u0325é ßxn。①'), maxLength: 20 })
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

  test('canonicalEmail returns null or an address for any text, and never throws', () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const email = canonicalEmail(text)
        expect(email === null || email.includes('@')).toBe(true)
      }),
    )
  })
})

describe('canonicalEmail returns the same domain for every spelling that a mail server maps to it', () => {
  test.each([
    ['upper case', 'BÜCHER.Example', 'xn--bcher-kva.example'],
    ['a letter and its accent', 'bu\u0308cher.example', 'xn--bcher-kva.example'],
    ['Punycode', 'xn--bcher-kva.example', 'xn--bcher-kva.example'],
    ['Punycode in upper case', 'XN--BCHER-KVA.example', 'xn--bcher-kva.example'],
    ['full width', 'ｅｘａｍｐｌｅ．ｃｏｍ', 'example.com'],
    ['a digit of full width', 'example４.com', 'example4.com'],
    ['the dot of Chinese', 'example。com', 'example.com'],
    ['the dot of half width', 'example｡com', 'example.com'],
    ['a ligature', 'oﬃce.com', 'office.com'],
    ['a number in a circle', '①.com', '1.com'],
    ['a letter of mathematics', '𝐞xample.com', 'example.com'],
    ['the Kelvin sign', '\u212aing.com', 'king.com'],
    ['a dotted capital', 'İstanbul.com', 'xn--istanbul-o0e.com'],
    ['a sharp s, which is no ss', 'straße.de', 'xn--strae-oqa.de'],
    ['a capital sharp s', 'STRAẞE.de', 'xn--strae-oqa.de'],
    ['a final sigma, which is no other sigma', 'σς.gr', 'xn--3xab.gr'],
    ['letters of another script that look alike, which are others', 'аррӏе.com', 'xn--80ak6aa92e.com'],
    ['a joiner where the script needs it', 'क्\u200dष.com', 'xn--11b2ezcw70k.com'],
  ])('%s: %j is %j', (_what, written, domain) => {
    expect(canonicalEmail(`user@${written}`)).toBe(`user@${domain}`)
    expect(canonicalEmail(`user@${domain}`)).toBe(`user@${domain}`)
  })

  test.each([
    ['a joiner where no script needs it', 'exa\u200dmple.com'],
    ['Punycode of nothing', 'xn--.com'],
    ['Punycode that does not decode', 'xn--a.com'],
    ['Punycode of another label', 'xn--bcher-kva0.example'],
    ['a number before a letter that is written from the right', '1א.com'],
    ['a soft hyphen, which would vanish', 'exa\u00admple.com'],
    ['a variation selector, which would vanish', 'example\ufe0f.com'],
    ['a grapheme joiner, which would vanish', 'exam\u034fple.com'],
    ['a tab, which a URL would strip', 'exam\tple.com'],
    ['a character in percent, which a URL would decode', 'ex%61mple.com'],
    ['a path', 'example.com/x'],
    ['a path of Windows', 'example.com\\x'],
    ['a query', 'example.com?x'],
    ['a fragment', 'example.com#x'],
    ['a port', 'example.com:80'],
    ['a user', 'x@example.com'],
    ['an address of IPv4', '127.0.0.1'],
    ['an address of IPv4 in hex', '0x7f.1'],
    ['an address of IPv4 in full width', '１２７．0.0.1'],
    ['a number as the last label', 'example.123'],
    ['an address of IPv6', '[::1]'],
    ['an underscore', 'a_b.com'],
    ['a symbol', '☃.net'],
    ['a mark at the beginning', '\u0301a.com'],
    ['a label that is longer in ASCII', `${'ü'.repeat(60)}.com`],
    ['a domain that is longer in ASCII', `${'ü'.repeat(30)}.${'ü'.repeat(30)}.`.repeat(4).concat('com')],
  ])('%s is refused: %.60j', (_what, written) => {
    expect(canonicalEmail(`user@${written}`)).toBeNull()
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
