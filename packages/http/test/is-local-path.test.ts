import { isLocalPath } from '@latchkey/http'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test.each([
  '/',
  '/inbox',
  '/inbox?page=2&next=https://example.org/#top',
  '/a/b.c/d-e_f~g',
  '/search?q=a%0Ab&path=%2F%2Fa',
  '/caf%C3%A9',
  '/a%2Fb',
  '/a%20b',
  '/100%25',
  `/%${'25'.repeat(9)}41`,
  '/..a/.b',
  '/@name',
  '/a:b',
  '/?//x',
  '/authorize?redirect_uri=https%3A%2F%2Fclient.example%2Fcallback',
])('%s is a local path', (text) => {
  expect(isLocalPath(text)).toBe(true)
})

test.each([
  ['nothing', ''],
  ['a relative path', 'inbox'],
  ['another host', 'https://evil.example/'],
  ['a scheme', 'javascript:alert(1)'],
  ['a scheme without slashes', 'https:evil.example'],
  ['two slashes', '//evil.example'],
  ['three slashes', '///evil.example'],
  ['slash and backslash', '/\\evil.example'],
  ['backslash and slash', '\\/evil.example'],
  ['two backslashes', '\\\\evil.example'],
  ['a backslash further on', '/a\\b'],
  ['a tab between slashes', '/\t/evil.example'],
  ['a line feed between slashes', '/\n/evil.example'],
  ['a carriage return between slashes', '/\r/evil.example'],
  ['a header of its own', '/a\r\nSet-Cookie: b=c'],
  ['a line feed at the end', '/inbox\n'],
  ['a NUL', '/\0/evil.example'],
  ['a delete character', '/a\x7f'],
  ['a space before', ' /inbox'],
  ['a space inside', '/a b'],
  ['a tab before', '\t//evil.example'],
  ['an encoded slash', '/%2fevil.example'],
  ['an encoded slash in capitals', '/%2Fevil.example'],
  ['two encoded slashes', '/%2f%2fevil.example'],
  ['a slash encoded twice', '/%252fevil.example'],
  ['an encoded backslash', '/%5cevil.example'],
  ['a backslash encoded twice', '/%255Cevil.example'],
  ['an encoded backslash further on', '/a/%5c%5cevil.example'],
  ['an encoded line feed', '/%0a/evil.example'],
  ['an encoded tab', '/%09/evil.example'],
  ['an encoded line break further on', '/a%0d%0aSet-Cookie:b=c'],
  ['an encoded NUL', '/a%00'],
  ['two slashes behind a dot', '/.//evil.example'],
  ['two slashes behind two dots', '/a/..//evil.example'],
  ['two slashes behind encoded dots', '/%2e%2e//evil.example'],
  ['two slashes at the end', '/a//'],
  ['an encoded slash behind a dot', '/./%2fevil.example'],
  ['an encoded slash behind an encoded dot', '/%2e/%2fevil.example'],
  ['a dot segment', '/a/../b'],
  ['an escape that is made by another one', '/%%32fevil.example'],
  ['a letter encoded eleven times', `/%${'25'.repeat(10)}41`],
  ['a slash encoded a thousand times', `/%${'25'.repeat(1_000)}2f`],
  ['a letter beyond ASCII', '/ä'],
  ['a slash of full width', '/／evil.example'],
  ['a division slash', '/∕evil.example'],
  ['a no-break space', '/\u00a0/evil.example'],
  ['too much', `/${'a'.repeat(2_048)}`],
])('%s is refused', (_what, text) => {
  expect(isLocalPath(text)).toBe(false)
})

test('a value other than a text is refused', () => {
  expect(isLocalPath(undefined as unknown as string)).toBe(false)
  expect(isLocalPath(['/inbox'] as unknown as string)).toBe(false)
})

test('every accepted path stays on the site, even if it is decoded or normalised again', () => {
  const unit = fc.constantFrom(
    '/',
    '\\',
    '%',
    '%2f',
    '%5c',
    '%25',
    '..',
    '.',
    '?',
    '#',
    '@',
    ':',
    '\t',
    'a',
    'evil.example',
    '2f',
  )
  const site = 'https://example.com'
  fc.assert(
    fc.property(fc.string({ unit, maxLength: 10 }), (rest) => {
      const text = `/${rest}`
      if (!isLocalPath(text)) return
      const { origin, pathname } = new URL(text, site)
      expect(origin).toBe(site)
      const decoded = pathname.replace(/%2f/gi, '/').replace(/%5c/gi, '\\').replace(/%25/g, '%')
      for (const next of [pathname, decoded]) expect(new URL(next, site).origin).toBe(site)
    }),
    { numRuns: 5_000 },
  )
})
