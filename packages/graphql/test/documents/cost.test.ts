import { describe, expect, test } from 'vitest'
import { compile, expectRefused, over, post, times, verdictOf } from '../support/limits-fixture.ts'

/** What a query costs: the lowest limit with which it is prepared. */
const costs: readonly (readonly [what: string, query: string, variables: Record<string, unknown>, cost: number])[] = [
  ['a field', '{ u }', {}, 1],
  ['__typename', '{ __typename u }', {}, 2],
  ['fields in one another', '{ t { t { u } } }', {}, 3],
  ['a list of unknown size', '{ t { list { u t { u } } } }', {}, 2 + 10 * 3],
  [
    'a size beside an argument that cannot be',
    'query($m: Int) { strict(first: 30, must: $m) { u } }',
    { m: null },
    1 + 30,
  ],
  ['lists in a list', '{ t { list { list { u } } } }', {}, 2 + 10 * (1 + 10)],
  ['a list with a default size', '{ sized { u } }', {}, 1 + 20],
  ['a list with a size', '{ sized(first: 7) { u } }', {}, 1 + 7],
  ['a list of none', '{ sized(first: 0) { u } }', {}, 1],
  ['a list with a size that is null', '{ sized(first: null) { u } }', {}, 1 + 10],
  ['"last"', '{ last(last: 3) { u } }', {}, 1 + 3],
  ['"limit"', '{ limited(limit: 4) { u } }', {}, 1 + 4],
  ['both sizes, of which the larger counts', '{ both(first: 2, last: 5) { u } }', {}, 1 + 5],
  ['a size by variable', 'query($n: Int) { sized(first: $n) { u } }', { n: 9 }, 1 + 9],
  ['a size by a variable that is null', 'query($n: Int) { sized(first: $n) { u } }', { n: null }, 1 + 10],
  [
    'a size by a variable that is null and may not be',
    'query($n: Int = 3) { needed(first: $n) { u } }',
    { n: null },
    1 + 10,
  ],
  ['a size by a variable that may not be null', 'query($n: Int = 3) { needed(first: $n) { u } }', {}, 1 + 3],
  ['a size by the default of a variable', 'query($n: Int = 8) { sized(first: $n) { u } }', {}, 1 + 8],
  ['a default that is larger on an object than on its interface', '{ shelf { books { u } } }', {}, 1 + 1 + 40],
  ['an argument that only an object has', '{ shelf { all { u } } }', {}, 1 + 1 + 50],
  ['a size that is given, through an interface', '{ shelf { books(first: 3) { u } } }', {}, 1 + 1 + 3],
  [
    'a size by a variable that is not given, through an interface',
    'query($n: Int) { shelf { books(first: $n) { u } } }',
    {},
    1 + 1 + 40,
  ],
  ['an object of an interface', '{ shelf { ... on Narrow { books { u } } } }', {}, 1 + 1 + 2],
  ['a size by a variable that is not given', 'query($n: Int) { sized(first: $n) { u } }', {}, 1 + 20],
  [
    'a size beside an argument without a value',
    'query($s: String) { sized(first: 3, sort: { by: $s }) { u } }',
    {},
    1 + 3,
  ],
  [
    'a size on the object around the list',
    '{ connection(first: 30) { total edges { node { u } } } }',
    {},
    1 + 1 + 1 + 30 * 2,
  ],
  ['an object around a list without a size', '{ connection { edges { node { u } } } }', {}, 1 + 1 + 10 * 2],
  [
    'a size on the object around, through a fragment',
    '{ connection(first: 3) { ...C } a: connection(first: 5) { ...C } } fragment C on Connection { edges { node { u } } }',
    {},
    2 + 1 + 6 + 1 + 10,
  ],
  [
    'a fragment as often as it is spread',
    '{ t { ...F ...F list { ...F } } } fragment F on T { u }',
    {},
    1 + 1 + 1 + 1 + 10,
  ],
  [
    'what is excluded',
    '{ u ...F @skip(if: true) ... @include(if: false) { u } u @skip(if: true) } fragment F on Query { u }',
    {},
    1,
  ],
  ['what a variable leaves out', 'query($n: Boolean!) { u sized @include(if: $n) { u } }', { n: false }, 1],
  ['what a variable lets in', 'query($n: Boolean!) { u sized @include(if: $n) { u } }', { n: true }, 1 + 21],
  ['what the default of a variable leaves out', 'query($n: Boolean = true) { u ... @skip(if: $n) { u } }', {}, 1],
  ['a mutation', 'mutation { m0 t { list { u } } }', {}, 1 + 2 + 10],
  ['introspection', '{ u __schema { types { fields { name } } } __type(name: "T") { name } }', {}, 1],
]

describe('the cost of', () => {
  test.each(costs)('%s', async (_what, query, variables, cost) => {
    expect(await verdictOf(query, variables, compile({ cost }))).toBe('prepared')
    expect(await verdictOf(query, variables, compile({ cost: cost - 1 }))).toBe(over('cost', cost - 1))
  })

  test('100 000 is the most', async () => {
    const query = (more: number) =>
      `{ sized(first: 100) { list { ${times(99, () => 'u')} } } ${times(899 + more, () => 'u')} }`
    expect(await verdictOf(query(0))).toBe('prepared')
    expect(await verdictOf(query(1))).toBe(over('cost', 100_000))
    await expectRefused(query(1), 'QUERY_LIMIT_EXCEEDED')
    await expectRefused(
      'query($n: Int) { sized(first: $n) { list { list { list { u } } } } }',
      'QUERY_LIMIT_EXCEEDED',
      { n: 100 },
    )
  })

  test('one request is not the cost of the next', async () => {
    const query = 'query($n: Int) { sized(first: $n) { list { list { list { u } } } } }'
    for (const [n, verdict] of [
      [1, 'prepared'],
      [100, over('cost', 100_000)],
      [2, 'prepared'],
    ] as const)
      expect(await verdictOf(query, { n })).toBe(verdict)
  })

  test('lists in lists saturates', async () => {
    const lists = (depth: number): string => (depth === 0 ? 'u' : `list { ${lists(depth - 1)} }`)
    const query = `{ t { ${lists(400)} } }`
    expect(await verdictOf(query, {}, compile({ depth: 1000 }))).toBe(over('cost', 100_000))
  })
})

describe('a size', () => {
  test.each([
    ['{ sized(first: 100) { __typename } }', {}, 'prepared'],
    ['{ sized(first: 101) { __typename } }', {}, 'BAD_USER_INPUT: "first" must be between 0 and 100.'],
    ['{ sized(first: -1) { __typename } }', {}, 'BAD_USER_INPUT: "first" must be between 0 and 100.'],
    ['{ limited(limit: 101) { __typename } }', {}, 'BAD_USER_INPUT: "limit" must be between 0 and 100.'],
    ['{ both(first: 1, last: 101) { __typename } }', {}, 'BAD_USER_INPUT: "last" must be between 0 and 100.'],
    ['{ connection(first: 101) { total } }', {}, 'BAD_USER_INPUT: "first" must be between 0 and 100.'],
    ['query($n: Int) { sized(first: $n) { u } }', { n: 101 }, 'BAD_USER_INPUT: "first" must be between 0 and 100.'],
    ['query($n: Int = -1) { sized(first: $n) { u } }', {}, 'BAD_USER_INPUT: "first" must be between 0 and 100.'],
    ['query($n: Boolean!) { u sized(first: 101) @skip(if: $n) { u } }', { n: true }, 'prepared'],
  ])('%s with %j is decided', async (query, variables, expected) => {
    expect(await verdictOf(query, variables)).toBe(expected)
  })

  test('out of range is row 8 and names its argument', async () => {
    await expectRefused('{ sized(first: 101) { u } }', 'BAD_USER_INPUT')
    const { body } = await post('{ sized(first: 101) { u } }', 'application/json')
    expect(body.errors[0]).toMatchObject({ locations: [{ line: 1, column: 3 }], extensions: { field: 'first' } })
  })
})
