import type { DocumentLimits } from '@latchkey/graphql'
import { buildClientSchema, getIntrospectionQuery, type IntrospectionQuery } from 'graphql'
import { describe, expect, test } from 'vitest'
import { ask } from '../support/access-fixture.ts'
import { access, compile, expectRefused, over, times, verdictOf } from '../support/limits-fixture.ts'

const deep = (depth: number): string => (depth === 1 ? 'u' : `t { ${deep(depth - 1)} }`)
/** At the limit, and one above. */
const cases: readonly (readonly [
  what: string,
  name: keyof DocumentLimits,
  limit: number,
  write: (count: number) => string,
])[] = [
  [
    'tokens',
    'tokens',
    2000,
    (n) => `{ t { ${times(Math.floor((n - 5) / 6), () => 'v(a: 1)')} ${times((n - 5) % 6, () => 'u')} } }`,
  ],
  ['comments', 'comments', 100, (n) => `{ u } ${'#\n'.repeat(n)}`],
  ['operations', 'operations', 10, (n) => times(n, (index) => `query Q${index} { u }`)],
  ['depth', 'depth', 16, (n) => `{ ${deep(n)} }`],
  [
    'depth through fragments',
    'depth',
    16,
    (n) => `{ ...A } fragment A on Query { t { ...B } } fragment B on T { ...C } fragment C on T { ${deep(n - 1)} }`,
  ],
  ['depth in a fragment without a name', 'depth', 16, (n) => `{ ... { t { ... on T { ${deep(n - 1)} } } } }`],
  ['depth of an operation that is not asked for', 'depth', 16, (n) => `query Q0 { u } query Q1 { ${deep(n)} }`],
  [
    'directives in one place',
    'directivesPerLocation',
    4,
    (n) => `{ ...F ${times(n, () => '@wide')} } fragment F on Query { u }`,
  ],
  [
    'directives in one place of a fragment',
    'directivesPerLocation',
    4,
    (n) => `{ ...F } fragment F on Query ${times(n, () => '@wide')} { u }`,
  ],
  [
    'directives at a variable',
    'directivesPerLocation',
    4,
    (n) => `query($a: Int ${times(n, () => '@wide')}) { t { v(a: $a) } }`,
  ],
  ['aliases', 'aliases', 100, (n) => `{ t { ${times(n, (index) => `a${index}: u`)} } }`],
  ['aliases of __typename', 'aliases', 100, (n) => `{ ${times(n, (index) => `a${index}: __typename`)} }`],
  [
    'aliases through a fragment spread often',
    'aliases',
    100,
    (n) =>
      `{ t { ${times(5, () => '...F')} ${times(n - 15, (index) => `a${index}: u`)} } } fragment F on T { x: u y: u z: u }`,
  ],
  [
    'aliases that are excluded',
    'aliases',
    100,
    (n) => `{ t { u ${times(n, (index) => `a${index}: u ${index < 50 ? '@skip(if: true)' : ''}`)} } }`,
  ],
  ['root fields of a query', 'queryRootFields', 50, (n) => `{ __typename r0 ${times(n, (index) => `r${index}`)} }`],
  [
    'root fields of a query through fragments',
    'queryRootFields',
    50,
    (n) => `{ ...F ... { r0 } ...F } fragment F on Query { ${times(n, (index) => `r${index}`)} }`,
  ],
  [
    'root fields of a mutation',
    'mutationRootFields',
    10,
    (n) => `mutation { __typename ${times(n, (index) => `m${index}`)} }`,
  ],
  [
    'root fields of a mutation through fragments',
    'mutationRootFields',
    10,
    (n) => `mutation { m0 ...F } fragment F on Mutation { ${times(n, (index) => `m${index}`)} }`,
  ],
  ['directives', 'directives', 50, (n) => `{ ${times(n, () => 'u @skip(if: false)')} }`],
  [
    'directives through fragments',
    'directives',
    50,
    (n) =>
      `{ t { ...F ...F } ${times(n - 40, () => 'u @skip(if: false)')} } fragment F on T { ${times(20, () => 'u @skip(if: false)')} }`,
  ],
]

describe('a document at a limit is accepted, and a document above it is refused:', () => {
  test.each(cases)('%s', async (_what, name, limit, write) => {
    expect(await verdictOf(write(limit))).toBe('prepared')
    expect(await verdictOf(write(limit + 1))).toBe(over(name, limit))
    await expectRefused(write(limit + 1), 'QUERY_LIMIT_EXCEEDED')
  })

  test('expanded selections, counted each time they are reached', async () => {
    const roomy = compile({ tokens: 10_000 })
    const spreads = times(8, (n) => `fragment F${n} on T { ...F${n + 1} ...F${n + 1} }`)
    // 768 by the fragments.
    const query = (size: number) => `{ t { ...F0 } ${times(size - 768, () => 'u')} } ${spreads} fragment F8 on T { u }`
    expect(await verdictOf(query(1500), {}, roomy)).toBe('prepared')
    expect(await verdictOf(query(1501), {}, roomy)).toBe(over('expandedSelections', 1500))
    await expectRefused(`{ t { ...F0 ...F0 } } ${spreads} fragment F8 on T { u }`, 'QUERY_LIMIT_EXCEEDED')
  })

  test('brackets, ten times as deep as fields', async () => {
    const list = (depth: number) => `{ t { v(a: ${'['.repeat(depth - 3)}1${']'.repeat(depth - 3)}) } }`
    expect(await verdictOf(list(160))).toMatch(/^GRAPHQL_VALIDATION_FAILED/)
    expect(await verdictOf(list(161))).toBe(over('depth', 16))
    expect(await verdictOf(list(161), {}, compile({ depth: 17 }))).toMatch(/^GRAPHQL_VALIDATION_FAILED/)
  })
})

describe('limits', () => {
  test('are not named to clients where introspection is not public', async () => {
    for (const query of [
      ...cases.map(([, , limit, write]) => write(limit + 1)),
      '{ t { list { list { list { list { list { u } } } } } } }',
    ])
      expect(await verdictOf(query, {}, compile({}, 'refused'))).toBe(
        'QUERY_LIMIT_EXCEEDED: The document exceeds a limit. Request less.',
      )
  })

  test.each([
    [{ depth: 1.5 }, '"limits.depth" must be a whole number from 0'],
    [{ cost: -1 }, '"limits.cost" must be a whole number from 0'],
    [{ cost: Number.POSITIVE_INFINITY }, '"limits.cost" must be a whole number from 0'],
    [{ aliases: '5' }, '"limits.aliases" must be a whole number from 0'],
    [{ validationErrors: 0 }, '"limits.validationErrors" must be a whole number from 1'],
    [{ coercionErrors: 0 }, '"limits.coercionErrors" must be a whole number from 1'],
    [{ report: 1 }, '"limits.report" must be true or false'],
    [{ alias: 5 }, '"limits" has no option "alias". Did you mean "aliases"?'],
  ])('that are invalid are a TypeError: %j', (limits, message) => {
    expect(() => compile(limits as Partial<DocumentLimits>)).toThrow(new TypeError(message))
  })

  test('that are undefined have their defaults', async () => {
    const limits = { aliases: undefined } as unknown as Partial<DocumentLimits>
    expect(await verdictOf(`{ t { ${times(101, (n) => `a${n}: u`)} } }`, {}, compile(limits))).toBe(
      over('aliases', 100),
    )
  })

  test('set the number of reported errors', async () => {
    const codesOf = async (query: string, limits: Partial<DocumentLimits>) =>
      (await ask(compile(limits), query)).codes.length
    expect(await codesOf('{ x y z }', { validationErrors: 2 })).toBe(2)
    expect(await codesOf('{ x y z }', {})).toBe(3)
    expect(await codesOf('query($a: Int!, $b: Int!) { t { v(a: $a) b: v(a: $b) } }', { coercionErrors: 1 })).toBe(1)
  })

  test('allow the introspection queries of tools', async () => {
    const query = getIntrospectionQuery({
      descriptions: true,
      specifiedByUrl: true,
      directiveIsRepeatable: true,
      schemaDescription: true,
      inputValueDeprecation: true,
      experimentalDirectiveDeprecation: true,
      oneOf: true,
      typeDepth: 9,
    } as Parameters<typeof getIntrospectionQuery>[0])
    const plain = await ask(access, getIntrospectionQuery())
    expect(buildClientSchema(plain.result?.data as unknown as IntrospectionQuery).getType('Connection')).toBeDefined()
    expect(await verdictOf(query)).toBe('prepared')
  })
})
