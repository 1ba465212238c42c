import { compileAccess } from '@latchkey/graphql'
import fc from 'fast-check'
import { buildSchema, OverlappingFieldsCanBeMergedRule, parse, specifiedRules, validate } from 'graphql'
import { describe, expect, test } from 'vitest'
import { policy } from '../support/access-fixture.ts'

// Compares the verdict on documents with overlapping fields with GraphQL's own rule.

const fields = 'x(a: Int, o: In): Int y: Int s: String l: [Int] m: Int! n: N nn: N! ln: [N] a: A b: B u: U'
const schema = buildSchema(`
  input In { p: Int, q: [Int] }
  interface N { ${fields} } interface M { ${fields} } union U = A | B | C
  type A implements N & M { ${fields} own: Int } type B implements N & M { ${fields} own: String } type C implements N { ${fields} own: Int }
  type Query { ${fields} }`)
const rules = Object.fromEntries(
  Object.values(schema.getTypeMap()).flatMap((type) =>
    'getFields' in type && !type.name.startsWith('__') && type.name !== 'In'
      ? Object.keys(type.getFields()).map((field) => [`${type.name}.${field}`, 'public'] as const)
      : [],
  ),
)
const most = 1_000_000
const roomy = {
  aliases: most,
  expandedSelections: most,
  directives: most,
  cost: 10 ** 15,
  depth: 50,
  tokens: 100_000,
  queryRootFields: most,
}
const access = compileAccess({ schema, policy, rules, limits: roomy, introspection: 'public' })
const others = specifiedRules.filter((rule) => rule !== OverlappingFieldsCanBeMergedRule)

const possible: Readonly<Record<string, string>> = {
  Query: 'Query',
  A: 'A',
  B: 'B',
  C: 'C',
  N: 'ABC',
  M: 'AB',
  U: 'ABC',
}
const returned: Readonly<Record<string, string>> = { n: 'N', nn: 'N', ln: 'N', a: 'A', b: 'B', u: 'U' }
const isOverlapping = (one: string, other: string) =>
  one === other || [...(possible[one] ?? '')].some((name) => one !== 'Query' && possible[other]?.includes(name))

/** A document that is valid except perhaps for overlapping fields. */
function draw(pick: (below: number) => number): string {
  const fragments: { readonly name: string; readonly type: string; readonly body: string }[] = []
  const choose = <T>(all: readonly T[]): T => all[pick(all.length)] as T
  const call = () =>
    choose(['x', 'x', 'x(a: 1)', 'x(a: 2)', 'x(o: {p: 1, q: [1]})', 'x(o: {q: [1], p: 1})', 'y', 's', 'm', 'l'])
  const field = (type: string, depth: number): string => {
    const alias = pick(3) === 0 ? `${choose(['k', 'x', 'n', 'a'])}: ` : ''
    if (type === 'U') return `${alias}__typename`
    const below = depth > 0 && pick(3) > 0 ? choose(Object.keys(returned)) : null
    if (below) return `${alias}${below} ${selections(returned[below] ?? '', depth - 1)}`
    return alias + (possible[type]?.length === 1 && type !== 'Query' && pick(4) === 0 ? 'own' : call())
  }
  const selection = (type: string, depth: number): string => {
    const on = choose(Object.keys(possible).filter((name) => isOverlapping(type, name)))
    const kind = pick(6)
    if (depth === 0 || kind < 3) return field(type, depth)
    if (kind === 3) return `... on ${on} ${selections(on, depth - 1)}`
    const again = fragments.filter((fragment) => isOverlapping(type, fragment.type))
    if (again.length > 0 && kind === 4) return `...${choose(again).name}`
    const body = selections(on, depth - 1)
    fragments.push({ name: `F${fragments.length}`, type: on, body })
    return `...F${fragments.length - 1}`
  }
  const selections = (type: string, depth: number): string =>
    `{ ${Array.from({ length: 1 + pick(3) }, () => selection(type, depth)).join(' ')} }`
  const root = selections('Query', 5)
  return [root, ...fragments.map(({ name, type, body }) => `fragment ${name} on ${type} ${body}`)].join('\n')
}

const runs = Number(process.env.LATCHKEY_PROPERTY_RUNS ?? (process.env.TEST_TIER === '3' ? 3_000 : 150))

test('the verdict on overlapping fields equals the rule of GraphQL', { timeout: 600_000 }, async () => {
  const counts = { valid: 0, invalid: 0 }
  const choices = fc.array(fc.nat(1_000_000), { minLength: 250, maxLength: 250 })
  await fc.assert(
    fc.asyncProperty(choices, async (drawn) => {
      let next = 0
      const query = draw((below) => ((drawn[next++ % drawn.length] ?? 0) + next) % below)
      const document = parse(query)
      expect({ query, errors: validate(schema, document, others) }).toEqual({ query, errors: [] })
      const isValid = validate(schema, document, [OverlappingFieldsCanBeMergedRule]).length === 0
      const verdict = await access.prepare({ query }, { identity: null })
      expect({ query, valid: verdict.ok }).toEqual({ query, valid: isValid })
      counts[isValid ? 'valid' : 'invalid']++
    }),
    { numRuns: runs },
  )
  // Neither verdict is the rare one, or the comparison would prove little.
  expect(counts.valid).toBeGreaterThan(runs / 10)
  expect(counts.invalid).toBeGreaterThan(runs / 10)
})

describe('overlapping fields', () => {
  test.each([
    ['{ x x: y }', '"x" and "y" are different fields'],
    ['{ x(a: 1) x(a: 2) }', 'they have differing arguments'],
    ['{ x(a: 1) x }', 'they have differing arguments'],
    ['{ n { n { ... on A { x(a: 1) } } ... on A { n { ... on A { x(a: 2) } } } } }', 'they have differing arguments'],
    ['{ n { ... on A { k: y } ... on B { k: s } } }', 'they return conflicting types "Int" and "String"'],
    ['{ n { ... on A { k: y } ... on B { k: m } } }', 'they return conflicting types "Int" and "Int!"'],
    ['{ n { ... on A { k: y } ... on B { k: l } } }', 'they return conflicting types "Int" and "[Int]"'],
    ['{ n { x(a: 1) ... on B { x(a: 2) } } }', 'they have differing arguments'],
    [
      '{ n { ...F ... on A { n { x(a: 2) } } } } fragment F on N { n { ... on C { x(a: 1) } x(a: 2) } }',
      'they have differing arguments',
    ],
  ])('%s conflict', async (query, reason) => {
    const verdict = await access.prepare({ query }, { identity: null })
    expect(verdict.ok).toBe(false)
    if (verdict.ok) return
    const [error] = verdict.errors
    expect(error?.message).toBe(
      `Fields "${/k: /.test(query) ? 'k' : 'x'}" conflict because ${reason}. Use different aliases on the fields to fetch both if this was intentional.`,
    )
    expect(error?.extensions).toEqual({ code: 'GRAPHQL_VALIDATION_FAILED' })
    expect(error?.locations).toHaveLength(2)
  })

  test.each([
    '{ n { ... on A { x(a: 1) } ... on B { x(a: 2) } } }',
    '{ x(o: { p: 1, q: [1] }) x(o: { q: [1], p: 1 }) }',
    '{ n { ... on A { n { x(a: 1) } } ... on B { n { x(a: 2) } } } }',
    '{ n { ... on A { own } ... on C { own } } }',
    '{ n { n { ... on A { x(a: 1) } } ... on A { n { ... on B { x(a: 2) } } } } }',
    '{ __typename __typename __schema { types { name } } __schema { types { kind } } }',
  ])('%s do not conflict', async (query) => {
    expect((await access.prepare({ query }, { identity: null })).ok).toBe(true)
  })
})
