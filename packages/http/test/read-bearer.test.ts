import { readBearer } from '@latchkey/http'
import fc from 'fast-check'
import { expect, test } from 'vitest'

test.each([
  ['Bearer abc', 'abc'],
  ['bearer abc', 'abc'],
  ['BEARER abc', 'abc'],
  ['Bearer   abc', 'abc'],
  ['Bearer a.b-c_d~e+f/g==', 'a.b-c_d~e+f/g=='],
  [`Bearer ${'a'.repeat(8_192)}`, 'a'.repeat(8_192)],
])('%j shows its token', (header, token) => {
  expect(readBearer(header)).toBe(token)
})

test.each([
  ['no header', null],
  ['no header in the words of node:http', undefined],
  ['an empty header', ''],
  ['the scheme alone', 'Bearer'],
  ['the scheme and a space', 'Bearer '],
  ['no space', 'Bearerabc'],
  ['a tab', 'Bearer\tabc'],
  ['another scheme', 'Basic YTpi'],
  ['a scheme that ends like it', 'XBearer abc'],
  ['a space before', ' Bearer abc'],
  ['a space behind', 'Bearer abc '],
  ['two tokens', 'Bearer abc def'],
  ['two headers', 'Bearer abc, Bearer def'],
  ['a scheme before', 'Basic YTpi, Bearer abc'],
  ['a parameter', 'Bearer realm="a"'],
  ['quotes', 'Bearer "abc"'],
  ['an equals sign inside', 'Bearer a=b'],
  ['only equals signs', 'Bearer ==='],
  ['a line break', 'Bearer abc\n'],
  ['a NUL', 'Bearer abc\0'],
  ['a letter beyond ASCII', 'Bearer äbc'],
  ['a full-width letter', 'Bearer ａbc'],
  ['a long s, which a careless comparison takes for s', 'Bearer abc'.replace('Bearer', 'Beareſ')],
  ['too much', `Bearer ${'a'.repeat(9_000)}`],
  ['spaces without end', `Bearer ${' '.repeat(100_000)}`],
])('%s shows no token', (_what, header) => {
  expect(readBearer(header)).toBeNull()
})

test('any header is read without an error, and contains the returned token', () => {
  fc.assert(
    fc.property(fc.string({ unit: fc.constantFrom('Bearer', ' ', 'a', '.', '=', ',', '\t', 'é') }), (header) => {
      const token = readBearer(header)
      if (token !== null) expect(header.replace(/^bearer +/i, '')).toBe(token)
    }),
  )
})
