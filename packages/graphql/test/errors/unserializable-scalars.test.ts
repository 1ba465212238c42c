import { compileAccess } from '@latchkey/graphql'
import { buildSchema, type GraphQLScalarType, type GraphQLSchema, type GraphQLUnionType } from 'graphql'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { type Endpoint, openEndpoint } from '../support/endpoint.ts'
import { policy } from '../support/service.ts'

const sdl = `
  scalar Raw
  scalar Long
  type Item { id: ID!, raw: Raw, sure: Raw!, long: Long }
  type Other { id: ID! }
  union Hit = Item | Other
  type Query { raw: Raw, sure: Raw!, list: [Raw], item: Item, hit: Hit, hello: String! }
  type Mutation { save: Raw, saveItem: Item }`

let value: unknown
let saved = 0
const item = () => ({ __typename: 'Item', id: '1', raw: value, sure: value, long: 1n })

/** Scalars in code, whose results are not changed. */
function prepareSchema(schema: GraphQLSchema) {
  const raw = schema.getType('Raw') as GraphQLScalarType
  Object.assign(raw, { serialize, coerceOutputValue: serialize })
  const long = schema.getType('Long') as GraphQLScalarType
  Object.assign(long, { serialize: String, coerceOutputValue: String })
  Object.assign(schema.getType('Hit') as GraphQLUnionType, { resolveType: () => 'Item' })
}

let endpoint: Endpoint
beforeAll(async () => {
  endpoint = await openEndpoint({
    sdl,
    prepareSchema,
    resolvers: {
      'Query.raw': () => value,
      'Query.sure': () => value,
      'Query.list': () => [1, value, 'text'],
      'Query.item': item,
      'Query.hit': item,
      'Query.hello': () => 'Hello',
      'Mutation.save': () => {
        saved++
        return value
      },
      'Mutation.saveItem': item,
    },
  })
})
afterAll(() => endpoint.close())

/** The default resolver would call a function, so it is the scalar that returns one. */
const asFunction = 'secret'
const serialize = (given: unknown): unknown => (given === asFunction ? () => given : given)

const cyclic: Record<string, unknown> = {}
cyclic.self = cyclic
const unserializable: readonly [string, unknown][] = [
  ['a bigint', 1n],
  ['a nested bigint', { count: [1n] }],
  ['a cyclic object', cyclic],
  ['a symbol', Symbol('secret')],
  ['a function', asFunction],
  ['infinity', Number.POSITIVE_INFINITY],
  [
    'an object whose toJSON throws',
    {
      toJSON() {
        throw new Error('secret')
      },
    },
  ],
  ['an object whose toJSON returns nothing', { toJSON: () => undefined }],
]

describe.each(unserializable)('a scalar that is serialized as %s', (_what, given) => {
  test('is an error at its path, after a mutation too', async () => {
    value = given
    const before = saved
    const { status, body, text } = await endpoint.post({ query: 'mutation { a: save b: saveItem { id raw long } }' })
    expect([status, saved - before]).toEqual([200, 1])
    expect(body.data).toEqual({ a: null, b: { id: '1', raw: null, long: '1' } })
    expect(body.errors).toMatchObject([{ path: ['a'] }, { path: ['b', 'raw'] }])
    for (const { extensions } of body.errors) {
      expect(extensions).toEqual({ code: 'INTERNAL_SERVER_ERROR', id: expect.any(String) })
    }
    expect(text).not.toContain('secret')
  })

  test('leaves null what it may, in lists, below unions and up to a nullable parent', async () => {
    value = given
    const { status, body } = await endpoint.post({ query: '{ list item { sure } hit { ... on Item { raw } } hello }' })
    expect(status).toBe(200)
    expect(body.data).toEqual({ list: [1, null, 'text'], item: null, hit: { raw: null }, hello: 'Hello' })
    expect(body.errors).toMatchObject([{ path: ['list', 1] }, { path: ['item', 'sure'] }, { path: ['hit', 'raw'] }])
  })

  test('is 500 with its path if no field above it is nullable', async () => {
    value = given
    const { status, body } = await endpoint.post({ query: '{ sure hello }' })
    expect([status, body.data]).toEqual([500, null])
    expect(body.errors).toMatchObject([{ path: ['sure'], extensions: { code: 'INTERNAL_SERVER_ERROR' } }])
  })
})

test.each<[unknown, unknown]>([
  ['text', 'text'],
  [-1.5, -1.5],
  [false, false],
  [null, null],
  [{ nested: [1, { two: null }] }, { nested: [1, { two: null }] }],
  [new Date(0), '1970-01-01T00:00:00.000Z'],
])('a scalar that is serialized as %o is sent', async (given, sent) => {
  value = given
  const { status, body } = await endpoint.post({ query: '{ raw }' })
  expect([status, body]).toEqual([200, { data: { raw: sent } }])
})

test('the scalar of the application is left as it was', () => {
  const schema = buildSchema('scalar Raw type Query { raw: Raw }')
  const raw = schema.getType('Raw') as GraphQLScalarType
  const { serialize } = raw
  const { sealed } = compileAccess({ schema, policy, rules: { 'Query.raw': 'public' } })
  expect(raw.serialize).toBe(serialize)
  expect(schema.getQueryType()?.getFields().raw?.type).toBe(raw)
  expect(sealed.getQueryType()?.getFields().raw?.type).not.toBe(raw)
})
