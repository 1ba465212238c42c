import { compileAccess } from '@latchkey/graphql'
import { describe, expect, test } from 'vitest'
import { ask, policy, reader, schemaOf } from '../support/access-fixture.ts'

const ran: string[] = []
const access = compileAccess({
  policy,
  schema: schemaOf(
    'type T { a: String @public, secret: String @authenticated, t: T @public } type Query { t: T @public, secret: String @authenticated }',
    {
      Query: { t: () => ({}), secret: () => ran.push('Query.secret') },
      T: { secret: () => ran.push('T.secret'), t: () => ({}) },
    },
  ),
})
const verdict = async (query: string, variables: Record<string, unknown> = {}) => {
  ran.length = 0
  const { verdict: answer } = await ask(access, query, null, { variables })
  expect(ran).toEqual([])
  return answer
}

describe('a selection that @skip or @include leaves out needs no identity:', () => {
  test.each([
    ['a constant', '{ t { a } secret @skip(if: true) }', {}],
    ['another constant', '{ t { a secret @include(if: false) } }', {}],
    ['a variable', 'query($no: Boolean!) { secret @include(if: $no) }', { no: false }],
    ['a default', 'query($no: Boolean = false) { secret @include(if: $no) }', {}],
    ['a given value over a default', 'query($no: Boolean = true) { secret @include(if: $no) }', { no: false }],
    ['a fragment', 'query($no: Boolean!) { ...F @include(if: $no) } fragment F on Query { secret }', { no: false }],
    ['an inline fragment', 'query($no: Boolean!) { ... @include(if: $no) { secret } }', { no: false }],
    ['a parent', 'query($no: Boolean!) { t @include(if: $no) { t { secret } } }', { no: false }],
    [
      'a fragment far above',
      'query($yes: Boolean!) { t { ...A @skip(if: $yes) } } fragment A on T { t { ...B } } fragment B on T { secret }',
      { yes: true },
    ],
    ['both, of which one is enough', 'query($no: Boolean!) { secret @skip(if: $no) @include(if: $no) }', { no: false }],
  ])('%s', async (_what, query, variables) => {
    expect(await verdict(query, variables)).toBe('executed')
  })
})

describe('a selection that @skip or @include keeps needs an identity:', () => {
  test.each([
    ['a constant', '{ secret @skip(if: false) @include(if: true) }', {}],
    ['a variable', 'query($yes: Boolean!) { secret @include(if: $yes) }', { yes: true }],
    ['a default', 'query($yes: Boolean = true) { secret @include(if: $yes) }', {}],
    ['a given value over a default', 'query($yes: Boolean = false) { secret @include(if: $yes) }', { yes: true }],
    [
      'one of two spreads',
      'query($no: Boolean!) { ...F @include(if: $no) ...F } fragment F on Query { secret }',
      { no: false },
    ],
    [
      'the first of two spreads',
      'query($no: Boolean!) { ...F ...F @include(if: $no) } fragment F on Query { secret }',
      { no: false },
    ],
    ['one of two merged fields', 'query($no: Boolean!) { t @include(if: $no) { secret } t { secret } }', { no: false }],
    [
      'a fragment that is excluded below another parent',
      'query($no: Boolean!) { t { ...F @include(if: $no) t { ...F } } } fragment F on T { secret }',
      { no: false },
    ],
    [
      'a variable called like the prototype',
      'query($__proto__: Boolean = true) { secret @include(if: $__proto__) }',
      {},
    ],
    [
      'a variable called constructor',
      'query($constructor: Boolean!) { secret @include(if: $constructor) }',
      { constructor: true },
    ],
    [
      'variables called like names of `execute` itself',
      'query($sources: Boolean!, $coerced: Boolean!) { secret @include(if: $sources) @skip(if: $coerced) }',
      { sources: true, coerced: false },
    ],
  ])('%s', async (_what, query, variables) => {
    expect(await verdict(query, variables)).toBe('UNAUTHENTICATED')
  })
})

test('a variable that decides must have a value that does', async () => {
  const query = 'query($yes: Boolean!) { secret @include(if: $yes) }'
  for (const yes of [undefined, null, 'false', 0, [], {}]) {
    expect(await verdict(query, yes === undefined ? {} : { yes })).toBe('BAD_USER_INPUT')
  }
  // Null in place of a default is found by `execute`: for the plan the field stays in.
  expect(await verdict('query($yes: Boolean = true) { secret @include(if: $yes) }', { yes: null })).toBe(
    'UNAUTHENTICATED',
  )
})

test('one plan serves every value of its variables', async () => {
  const query = 'query($yes: Boolean!) { secret @include(if: $yes) t { a } }'
  for (const yes of [true, false, true, false]) {
    expect(await verdict(query, { yes })).toBe(yes ? 'UNAUTHENTICATED' : 'executed')
  }
  expect((await ask(access, query, reader, { variables: { yes: true } })).verdict).toBe('executed')
})
