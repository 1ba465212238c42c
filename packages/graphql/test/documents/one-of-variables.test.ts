import { compileAccess } from '@latchkey/graphql'
import { buildSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { policy } from '../support/service.ts'

const schema = buildSchema(`
  input By @oneOf { id: ID, email: String, ids: [ID], one: Inner, many: [Inner!] }
  input Inner @oneOf { a: Int, b: Int }
  input Plain { by: By!, list: [By!]!, id: ID }
  directive @seen(by: By!) on FIELD
  type Query { find(by: By!): ID, maybe(by: By): ID, all(list: [By!]!): ID, plain(plain: Plain!): ID, next: Query }`)
const rules = {
  'Query.find': 'public',
  'Query.maybe': 'public',
  'Query.all': 'public',
  'Query.plain': 'public',
  'Query.next': 'public',
} as const
const open = compileAccess({ schema, policy, rules, introspection: 'public' })
const hidden = compileAccess({ schema, policy, rules })

const ask = async (query: string, access: typeof open, variables: Record<string, unknown> = {}) => {
  const verdict = await access.prepare({ query, variables }, { identity: null })
  return verdict.ok ? [] : verdict.errors.map(({ message, extensions }) => ({ message, code: extensions.code }))
}

describe('a nullable variable as the member of a @oneOf input is refused', () => {
  test.each([
    ['of a non-null argument', 'query ($id: ID) { find(by: { id: $id }) }'],
    ['of a nullable argument', 'query ($id: ID) { maybe(by: { id: $id }) }'],
    ['with a default', 'query ($id: ID = "1") { find(by: { id: $id }) }'],
    ['in a list', 'query ($id: ID) { all(list: [{ email: "a" }, { id: $id }]) }'],
    ['that stands for a list', 'query ($id: ID) { all(list: { id: $id }) }'],
    ['in another input', 'query ($id: ID) { plain(plain: { by: { id: $id }, list: [] }) }'],
    ['in a list of another input', 'query ($id: ID) { plain(plain: { by: { id: 1 }, list: [{ id: $id }] }) }'],
    ['in another @oneOf input', 'query ($id: Int) { find(by: { one: { a: $id } }) }'],
    ['in a list of another @oneOf input', 'query ($id: Int) { find(by: { many: [{ b: $id }] }) }'],
    ['that is an input itself', 'query ($id: Inner) { find(by: { one: $id }) }'],
    ['that is a list', 'query ($id: [ID!]) { find(by: { ids: $id }) }'],
    ['in a fragment', 'query ($id: ID) { ...F } fragment F on Query { next { find(by: { id: $id }) } }'],
    [
      'in nested fragments',
      'query ($id: ID) { ...F } fragment F on Query { ...G } fragment G on Query { find(by: { id: $id }) }',
    ],
    ['of a directive', 'query ($id: ID) { next @seen(by: { id: $id }) { __typename } }'],
    [
      'of one of two operations',
      'query A($id: ID!) { ...F } query B($id: ID) { ...F } fragment F on Query { find(by: { id: $id }) }',
    ],
  ])('%s', async (_where, query) => {
    const [error, ...others] = await ask(query, open, { id: '1' })
    expect(others).toEqual([])
    expect(error?.code).toBe('GRAPHQL_VALIDATION_FAILED')
    expect(error?.message).toMatch(/^Variable "\$id" is of type "[^"]+" but must be non-nullable to be used for OneOf/)
  })

  test('without a name of the schema where introspection is refused', async () => {
    expect(await ask('query ($id: ID) { find(by: { id: $id }) }', hidden)).toEqual([
      { code: 'GRAPHQL_VALIDATION_FAILED', message: 'Variable "$id" of type "ID" cannot be used here.' },
    ])
  })

  test('once for each operation and variable', async () => {
    const query = 'query ($id: ID, $mail: String) { a: find(by: { id: $id }) b: find(by: { email: $mail }) }'
    expect(await ask(query, open)).toHaveLength(2)
  })
})

test.each([
  ['a non-null variable', 'query ($id: ID!) { find(by: { id: $id }) }', { id: '1' }],
  ['an item of a list in it', 'query ($id: ID) { find(by: { ids: [$id] }) }', { id: null }],
  ['the whole input', 'query ($by: By!) { find(by: $by) }', { by: { id: '1' } }],
  ['a member of an ordinary input', 'query ($id: ID) { plain(plain: { by: { id: 1 }, list: [], id: $id }) }', {}],
  ['a whole item', 'query ($by: By!) { all(list: [$by]) }', { by: { id: '1' } }],
  ['a nullable input', 'query ($by: By) { maybe(by: $by) }', {}],
  [
    'a member that is no variable',
    'query ($id: ID) { find(by: { id: "1" }) maybe @skip(if: true) next @include(if: false) { all(list: [{ ids: [$id] }]) } }',
    {},
  ],
])('%s is accepted', async (_what, query, variables) => {
  expect(await ask(query, open, variables)).toEqual([])
})
