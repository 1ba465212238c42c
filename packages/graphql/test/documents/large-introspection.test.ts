import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import { buildClientSchema, buildSchema, getIntrospectionQuery } from 'graphql'
import { describe, expect, test } from 'vitest'
import { policy } from '../support/service.ts'

const fields = Array.from({ length: 20 }, (_none, at) => `"The field ${at}." field${at}(first: Int): Type${at}!`)
const types = Array.from({ length: 2_000 }, (_none, at) => `type Type${at} { ${fields.join(' ')} }`)
const schema = buildSchema(`type Query { type: Type0 } ${types.join('\n')}`)
const rules = Object.fromEntries(
  ['Query.type', ...types.flatMap((_type, at) => fields.map((_field, of) => `Type${at}.field${of}`))].map((name) => [
    name,
    'public' as const,
  ]),
)
const access = compileAccess({ schema, policy, rules: rules as never, introspection: 'public' })
const identify = { read: async () => ({ credential: null, identity: null }) }

type Limits = Parameters<typeof createGraphqlHandler>[0]['requestLimits']

async function ask(asked: string | object, requestLimits: Limits = {}) {
  const handler = createGraphqlHandler({ access, identify, requestLimits })
  const accept = 'application/graphql-response+json, application/json;q=0.5'
  const headers = { 'content-type': 'application/json', accept }
  const init = { method: 'POST', headers, body: JSON.stringify(typeof asked === 'string' ? { query: asked } : asked) }
  const response = await handler.fetch(new Request('https://example.com/graphql', init))
  const text = await response.text()
  return { status: response.status, length: text.length, body: JSON.parse(text) }
}

describe('introspection of 2,000 types', () => {
  test('is answered by default, although it is longer than another response may be', async () => {
    const { status, length, body } = await ask(getIntrospectionQuery())
    expect([status, body.errors]).toEqual([200, undefined])
    expect(length).toBeGreaterThan(10_000_000)
    expect(Object.keys(buildClientSchema(body.data).getTypeMap()).length).toBeGreaterThan(2_000)
  }, 30_000)

  const names = '__schema { types { name } }'
  test.each([
    ['over its own limit', `{ ${names} }`, { responseBytes: 100, introspectionBytes: 1_000 }],
    ['beside another field', `{ ${names} type { __typename } }`, { responseBytes: 1_000 }],
    [
      'beside another field of a fragment',
      `{ ...F } fragment F on Query { ${names} type { __typename } }`,
      { responseBytes: 1_000 },
    ],
  ])('%s is refused', async (_what, query, limits) => {
    const { status, body } = await ask(query, limits)
    expect([status, body.errors[0].extensions.code]).toEqual([400, 'RESPONSE_TOO_LARGE'])
  })

  test('is limited by the whole batch', async () => {
    const { body } = await ask([{ query: `{ ${names} }` }], { batchSize: 2, responseBytes: 1_000 })
    expect(body).toMatchObject([{ errors: [{ extensions: { code: 'RESPONSE_TOO_LARGE' } }] }])
  })

  test.each([
    ['in a fragment', `{ ...F } fragment F on Query { ${names} }`],
    ['beside __typename', `{ __typename ${names} }`],
    ['of one type', '{ __type(name: "Type1") { fields { name args { name type { name } } } } }'],
  ])('%s has its own limit', async (_what, query) => {
    expect(await ask(query, { responseBytes: 100 })).toMatchObject({ status: 200 })
  })
})
