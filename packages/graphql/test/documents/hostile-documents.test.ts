import { medianCpuMilliseconds } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'
import { since17 } from '../support/graphql-version.ts'
import { access, times } from '../support/limits-fixture.ts'

const deepest = (levels: number, body: string, last: string) =>
  `${times(levels, (n) => `fragment F${n} on T { ${body.replaceAll('NEXT', `...F${n + 1}`)} }`)} fragment F${levels} on T { ${last} }`

const documents: readonly (readonly [what: string, query: string, code: string | null])[] = [
  ['a field repeated 1 990 times', `{ ${times(1990, () => '__typename')} }`, 'QUERY_LIMIT_EXCEEDED'],
  ['a field repeated 900 times', `{ ${times(900, () => 'u')} }`, null],
  ['a field with fields repeated 450 times', `{ ${times(450, () => 't{u}')} }`, null],
  ['a field with an argument repeated 240 times', `{ t { ${times(240, () => 'v(a: 1)')} } }`, null],
  ['240 fields that conflict', `{ t { ${times(240, (n) => `v(a: ${n})`)} } }`, 'GRAPHQL_VALIDATION_FAILED'],
  ['600 aliases', `{ ${times(600, (n) => `a${n}: u`)} }`, 'QUERY_LIMIT_EXCEEDED'],
  ['1 900 unknown fields', `{ ${times(1900, (n) => `x${n}`)} }`, 'QUERY_LIMIT_EXCEEDED'],
  ['1 900 unknown fields deeper', `{ t { ${times(1900, (n) => `x${n}`)} } }`, 'QUERY_LIMIT_EXCEEDED'],
  ['30 levels of doubling fragments', `{ t { ...F0 } } ${deepest(30, 'NEXT NEXT', 'u')}`, 'QUERY_LIMIT_EXCEEDED'],
  [
    '30 levels of doubling fields',
    `{ t { ...F0 } } ${deepest(30, 't { NEXT } a: t { NEXT }', 'u')}`,
    'QUERY_LIMIT_EXCEEDED',
  ],
  ['doubling fragments that nothing uses', `{ u } ${deepest(30, 'NEXT NEXT', 'u')}`, 'QUERY_LIMIT_EXCEEDED'],
  [
    'doubling fragments of which one has two definitions',
    `{ t { ...F0 } } fragment F0 on T { u } ${deepest(30, 'NEXT NEXT', 'u')}`,
    'QUERY_LIMIT_EXCEEDED',
  ],
  ['a circle of 200 fragments', `{ t { ...F0 } } ${deepest(199, 'NEXT', '...F0')}`, 'GRAPHQL_VALIDATION_FAILED'],
  [
    'a circle of 200 fragments and 40 000 lines',
    `{ t { ...F0 } }${'\n'.repeat(40_000)}${deepest(199, 'NEXT', '...F0')}`,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['a chain of 190 fragments', `{ t { ...F0 } } ${deepest(190, 'u NEXT', 'u')}`, null],
  [
    '110 fragments side by side',
    `{ t { ${times(110, (n) => `...F${n}`)} } } ${times(110, (n) => `fragment F${n} on T { u t { u } }`)}`,
    null,
  ],
  [
    '200 fragments that nothing uses',
    `{ u } ${times(200, (n) => `fragment F${n} on T { u }`)}`,
    'GRAPHQL_VALIDATION_FAILED',
  ],
  ['300 fragments without a name', `{ t { ${times(300, () => '... on T { u }')} } }`, null],
  ['500 times the same argument', `{ t { v(${times(500, () => 'a: 1')}) } }`, 'GRAPHQL_VALIDATION_FAILED'],
  ['390 times the same variable', `query(${times(390, () => '$a: Int')}) { u }`, 'GRAPHQL_VALIDATION_FAILED'],
  ['60 directives', `{ ${times(60, () => 'u @skip(if: true)')} }`, 'QUERY_LIMIT_EXCEEDED'],
  [
    '20 levels of fragments below introspection',
    `{ __schema { types { ...F0 } } } ${deepest(20, 'NEXT NEXT', 'u').replaceAll('on T', 'on __Type')}`,
    'QUERY_LIMIT_EXCEEDED',
  ],
  ...since17<[string, string, null]>(['empty selections', '{ t {} }', null]),
  ['an alias called like the prototype', '{ __proto__: t { constructor: u } __proto__: t { constructor: u } }', null],
]

describe('a hostile document', () => {
  test.each(documents)('is decided within 100 ms of computing: %s', async (_what, query, code) => {
    let run = 0
    const cost = await medianCpuMilliseconds(async () => {
      // The same text would come from the cache.
      const verdict = await access.prepare({ query: `${query}#${run++}` }, { identity: null })
      expect(verdict.ok ? null : verdict.errors[0]?.extensions.code).toBe(code)
      expect(verdict.ok ? 0 : verdict.errors.length).toBeLessThanOrEqual(5)
    })
    expect(cost).toBeLessThan(100)
  })

  test('spreading a fragment within itself is refused with the location of one spread', async () => {
    const query = `{ t { ...F0 } } ${deepest(150, 'NEXT', '...F0')}`
    const verdict = await access.prepare({ query }, { identity: null })
    const reported = verdict.ok ? [] : verdict.errors.map(({ message, nodes }) => [message, nodes?.length])
    expect(reported).toEqual([['Cannot spread fragment "F0" within itself.', 1]])
  })
})
