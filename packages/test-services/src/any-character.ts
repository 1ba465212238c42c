import fc from 'fast-check'

/**
 * Any character except half of a surrogate pair, like `unit: 'binary'` of fast-check, whose tables take two seconds to
 * build.
 */
export const anyCharacter: fc.Arbitrary<string> = fc
  .oneof(fc.integer({ min: 0, max: 0xd7ff }), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map((point) => String.fromCodePoint(point))
