import { listen } from '@latchkey/server/node'
import { Client, cacheExchange, fetchExchange, gql, subscriptionExchange } from '@urql/core'
import { GraphQLError } from 'graphql'
import { createClient as createStreamClient } from 'graphql-sse'
import { createClient as createSocketClient } from 'graphql-ws'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { WebSocket } from 'ws'
import { createBench } from '../support/bench.ts'

const typeDefs = `
  type Query { hello(name: String!): String! @public }
  type Mutation { add(number: Int!): Int! @public, buy: Int! @public }
  type Subscription { numbers: Int! @public }`

let sum = 0
async function* subscribe() {
  for (const numbers of [1, 2, 3]) yield { numbers }
}
const resolvers = {
  Query: { hello: (_source: unknown, { name }: { readonly name: string }) => `Hello ${name}` },
  Mutation: {
    add: (_source: unknown, { number }: { readonly number: number }) => {
      sum += number
      return sum
    },
    buy() {
      throw new GraphQLError('Sold out.', { extensions: { code: 'OUT_OF_STOCK', left: 0 } })
    },
  },
  Subscription: { numbers: { subscribe } },
}

let listener: Awaited<ReturnType<typeof listen>>
let url: string
beforeAll(async () => {
  const graphql = { errors: { OUT_OF_STOCK: { expose: ['left'] } } }
  listener = await listen(
    ({ port }) =>
      createBench({ options: { baseUrl: `http://127.0.0.1:${port}`, typeDefs, resolvers, graphql } as never }).server,
    { port: 0, closeOn: [], print: null, drainMs: 0 },
  )
  url = `http://127.0.0.1:${listener.port}/graphql`
})
afterAll(() => listener.close())

const numbers = gql('subscription { numbers }')

/** Returns the results of a subscription, until it is over. */
function collect(client: Client, context = {}): Promise<unknown[]> {
  const results: unknown[] = []
  return new Promise((resolve) => {
    client.subscription(numbers, {}, context).subscribe(({ data, error, hasNext }) => {
      if (error || data) results.push(error ?? data.numbers)
      if (error || !hasNext || results.length === 3) resolve(results)
    })
  })
}

describe('urql with its own fetch', () => {
  const exchanges = [cacheExchange, fetchExchange]

  test('gets queries and mutations, and the details of a declared error', async () => {
    const client = new Client({ url, exchanges, preferGetMethod: false })
    const { data } = await client.query(gql('query ($name: String!) { hello(name: $name) }'), { name: 'urql' })
    expect(data).toEqual({ hello: 'Hello urql' })
    const added = await client.mutation(gql('mutation ($number: Int!) { add(number: $number) }'), { number: 5 })
    expect([added.data, sum]).toEqual([{ add: 5 }, 5])
    const { error } = await client.mutation(gql('mutation { buy }'), {})
    expect(error?.graphQLErrors[0]?.extensions).toEqual({ code: 'OUT_OF_STOCK', left: 0 })
  })

  test('gets a subscription by fetchSubscriptions at the stream, and at the endpoint the path of the stream', async () => {
    const open = () => new Client({ url, exchanges, preferGetMethod: false, fetchSubscriptions: true })
    expect(await collect(open(), { url: `${url}/stream` })).toEqual([1, 2, 3])
    const [refused] = await collect(open())
    expect(refused).toMatchObject({ response: { status: 406 } })
    expect(String(refused)).toContain('Server-sent events are sent at /graphql/stream. Subscribe there.')
  })
})

test.each([
  [
    'graphql-sse',
    () => {
      const { subscribe: send, dispose } = createStreamClient({ url: `${url}/stream` })
      return { send, dispose }
    },
  ],
  [
    'graphql-ws',
    () => {
      const { subscribe: send, dispose } = createSocketClient({
        url: url.replace('http', 'ws'),
        webSocketImpl: WebSocket,
      })
      return { send, dispose }
    },
  ],
])('urql gets a subscription over %s', async (_transport, open) => {
  const { send, dispose } = open()
  const forwardSubscription = ({ query = '', variables }: { query?: string | undefined; variables?: unknown }) => ({
    subscribe: (sink: never) => ({
      unsubscribe: send({ query, variables: variables as Record<string, unknown> }, sink),
    }),
  })
  const client = new Client({
    url,
    preferGetMethod: false,
    exchanges: [cacheExchange, fetchExchange, subscriptionExchange({ forwardSubscription })],
  })
  expect(await collect(client)).toEqual([1, 2, 3])
  await dispose()
})
