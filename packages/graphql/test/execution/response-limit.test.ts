import { compileAccess, createGraphqlHandler } from '@latchkey/graphql'
import fc from 'fast-check'
import { buildSchema } from 'graphql'
import { describe, expect, test } from 'vitest'
import { policy } from '../support/service.ts'

type EndpointOptions = Pick<Parameters<typeof createGraphqlHandler>[0], 'requestLimits' | 'rateLimit'>

let changes = 0
/** The value of the scalar. */
let shown: unknown = null

const long = 'x'.repeat(1_000)
const schema = buildSchema(`
  scalar Text
  type Query { texts(first: Int!): [String!]!, long(thousands: Int!): String!, quotes: String!, day: Text }
  type Mutation { change(first: Int!): [String!]! }
`)
const list = (first: number) => Array<string>(first).fill(long)
Object.assign(schema.getQueryType()?.getFields().texts ?? {}, {
  resolve: (_s: unknown, { first }: { first: number }) => list(first),
})
Object.assign(schema.getQueryType()?.getFields().long ?? {}, {
  resolve: (_source: unknown, { thousands }: { thousands: number }) => long.repeat(thousands),
})
Object.assign(schema.getQueryType()?.getFields().quotes ?? {}, { resolve: () => '"'.repeat(2_600) })
Object.assign(schema.getQueryType()?.getFields().day ?? {}, {
  resolve: () => shown,
})
Object.assign(schema.getMutationType()?.getFields().change ?? {}, {
  resolve(_source: unknown, { first }: { first: number }) {
    changes++
    return list(first)
  },
})
const rules = {
  'Query.texts': 'public',
  'Query.long': 'public',
  'Query.quotes': 'public',
  'Query.day': 'public',
  'Mutation.change': 'public',
} as const
const access = compileAccess({ schema, policy, rules })
const identify = { read: async () => ({ credential: null, identity: null }) }

async function ask(
  body: unknown,
  limits: EndpointOptions['requestLimits'] = {},
  accept = 'application/graphql-response+json',
) {
  const handler = createGraphqlHandler({ access, identify, requestLimits: { responseBytes: 5_000, ...limits } })
  const init = { method: 'POST', headers: { 'content-type': 'application/json', accept }, body: JSON.stringify(body) }
  const response = await handler.fetch(new Request('https://example.com/graphql', init))
  const text = await response.text()
  return { status: response.status, text, body: JSON.parse(text) }
}
const texts = (first: number) => ({ query: `{ texts(first: ${first}) }` })

describe('a response over its limit', () => {
  test.each([
    ['application/graphql-response+json', 400],
    ['application/json', 200],
  ])('is refused without data for a query, in %s', async (accept, status) => {
    expect(await ask(texts(4), {}, accept)).toMatchObject({ status: 200, body: { data: { texts: list(4) } } })
    const refused = await ask(texts(5), {}, accept)
    expect(refused.status).toBe(status)
    expect(refused.body).toEqual({
      errors: [
        { message: 'The response would be too large. Request less.', extensions: { code: 'RESPONSE_TOO_LARGE' } },
      ],
    })
  })

  test('is refused from the first byte over the limit', async () => {
    const { text } = await ask(texts(4))
    expect((await ask(texts(4), { responseBytes: text.length })).status).toBe(200)
    expect((await ask(texts(4), { responseBytes: text.length - 1 })).status).toBe(400)
    expect((await ask({ query: '{ quotes }' })).status).toBe(400)
    expect((await ask({ query: '{ quotes }' }, { responseBytes: 5_300 })).status).toBe(200)
  })

  test('tells that the mutation was executed', async () => {
    changes = 0
    const { status, body } = await ask({ query: 'mutation { change(first: 9) }' })
    expect(changes).toBe(1)
    expect(status).toBe(200)
    expect(body).toEqual({
      data: null,
      errors: [
        {
          message: 'The mutation was executed, but its response would be too large.',
          extensions: { code: 'RESPONSE_TOO_LARGE' },
        },
      ],
    })
  })

  test('is measured for all operations of a batch together', async () => {
    const { body, text } = await ask([texts(2), texts(2), texts(2), texts(0)], { batchSize: 10 }, 'application/json')
    const codes = body.map(
      ({ errors = [] }: { errors?: { extensions: { code: string } }[] }) => errors[0]?.extensions.code,
    )
    expect(codes).toEqual([undefined, undefined, 'RESPONSE_TOO_LARGE', undefined])
    expect(text.length).toBeLessThan(5_400)
  })

  test('is measured with the brackets and commas of a batch', async () => {
    const batch = [texts(1), texts(2), texts(1)]
    const codes = async (responseBytes: number) => {
      const { body } = await ask(batch, { batchSize: 10, responseBytes }, 'application/json')
      return body.map(({ errors }: { errors?: readonly unknown[] }) => errors !== undefined)
    }
    const { text } = await ask(batch, { batchSize: 10 }, 'application/json')
    expect(await codes(text.length)).toEqual([false, false, false])
    expect(await codes(text.length - 1)).toEqual([false, false, true])
  })

  test('is refused before it is written', async () => {
    let written = 0
    shown = {
      toJSON() {
        written++
        return long.repeat(3)
      },
    }
    expect((await ask({ query: '{ day texts(first: 9) }' })).status).toBe(400)
    // The scalar is checked, and counted twice: with the maximum bytes of each character, and with its bytes.
    expect(written).toBe(3)
  })

  test('has a default limit of ten million bytes, and an invalid limit is refused', async () => {
    const handler = (options: EndpointOptions) => createGraphqlHandler({ access, identify, ...options })
    const send = (thousands: number) =>
      handler({}).fetch(new Request(`https://example.com/graphql?query={long(thousands:${thousands})}`))
    expect((await (await send(9_900)).text()).length).toBeGreaterThan(9_900_000)
    expect(await (await send(10_000)).json()).toMatchObject({
      errors: [{ extensions: { code: 'RESPONSE_TOO_LARGE' } }],
    })
    for (const limit of [0, 1.5, Number.NaN]) {
      expect(() => handler({ requestLimits: { responseBytes: limit } })).toThrow(
        '"requestLimits.responseBytes" must be a whole number from 1',
      )
    }
  })
})

test('any value is answered at a limit of its bytes, and refused at one byte less', async () => {
  const isExact = async (json: unknown): Promise<boolean> => {
    shown = json
    const { text } = await ask({ query: '{ day }' }, { responseBytes: 1_000_000 })
    const responseBytes = new TextEncoder().encode(text).length
    const [at, below] = [responseBytes, responseBytes - 1].map((limit) =>
      ask({ query: '{ day }' }, { responseBytes: limit }),
    )
    return (await at)?.text === text && (await below)?.status === 400
  }
  const value = fc.jsonValue({ stringUnit: 'binary', maxDepth: 2 }).filter((json) => json !== null)
  await fc.assert(fc.asyncProperty(value, isExact), { numRuns: 50 })
  // Halves of pairs, control characters, omitted values, and values with another form in JSON.
  for (const text of ['\ud800', 'a\udc00', '\ud800\ud800\udc00', '\b\t\n\v\f\r\u0000"\\/']) {
    expect(await isExact(text)).toBe(true)
  }
  const odd = { a: undefined, b: [undefined, Number.NaN, true, false, null], day: new Date(0), empty: {}, none: [] }
  expect(await isExact(odd)).toBe(true)
})
