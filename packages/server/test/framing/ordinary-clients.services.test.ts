import { once } from 'node:events'
import { Agent, type IncomingMessage, type RequestOptions, request } from 'node:http'
import { text } from 'node:stream/consumers'
import { setTimeout } from 'node:timers/promises'
import { ApolloClient, gql, InMemoryCache } from '@apollo/client'
import { BatchHttpLink } from '@apollo/client/link/batch-http'
import { listen } from '@latchkey/server/node'
import { createClient } from 'graphql-ws'
import { Pool } from 'undici'
import { describe, expect, onTestFinished, test } from 'vitest'
import { WebSocket } from 'ws'
import { type BenchOptions, createBench } from '../support/bench.ts'

const typeDefs = `
  type Query { hello: String! @public, same(number: Int!): Int! @public }
  type Subscription { numbers: Int! @public }
`
const same = (_source: unknown, { number }: { readonly number: number }): number => number
async function* subscribe() {
  for (let numbers = 1; ; numbers++) {
    yield { numbers }
    await setTimeout(50)
  }
}
const resolvers = { Query: { hello: () => 'Hello', same }, Subscription: { numbers: { subscribe } } }

/** Returns the port of a service, until the test is over. */
async function serve(options: BenchOptions['options'] = {}): Promise<number> {
  const listener = await listen(
    ({ port }) =>
      createBench({ options: { baseUrl: `http://127.0.0.1:${port}`, typeDefs, resolvers, ...options } as never })
        .server,
    { port: 0, closeOn: [], print: null, drainMs: 0 },
  )
  onTestFinished(() => listener.close())
  return listener.port
}

const json = { 'content-type': 'application/json' }
const helloBody = '{"query":"{ hello }"}'
const helloAnswer = '{"data":{"hello":"Hello"}}'

/** Returns a body of an operation that has so many bytes. */
function bodyOf(bytes: number): string {
  const body = (filler: string): string => JSON.stringify({ query: '{ hello }', variables: { filler } })
  return body('x'.repeat(bytes - body('').length))
}

/** Posts with the client of Node.js, which writes the body as the function says. */
async function post(port: number, options: RequestOptions, write: (to: ReturnType<typeof request>) => unknown) {
  const headers = { ...json, ...options.headers }
  const sent = request({ port, host: '127.0.0.1', path: '/graphql', method: 'POST', ...options, headers })
  const answered = once(sent, 'response') as Promise<[IncomingMessage]>
  write(sent)
  const [response] = await answered
  return { status: response.statusCode, body: await text(response) }
}

const answered = { status: 200, body: helloAnswer }

describe('over real sockets, within the limits,', () => {
  test('2 000 operations of a batch link are answered, in 200 batches at once', async () => {
    const port = await serve({ graphql: { requestLimits: { batchSize: 10 } } })
    const statuses: Record<number, number> = {}
    const countedFetch: typeof fetch = async (url, init) => {
      const response = await fetch(url, init)
      statuses[response.status] = (statuses[response.status] ?? 0) + 1
      return response
    }
    const client = new ApolloClient({
      cache: new InMemoryCache(),
      link: new BatchHttpLink({ uri: `http://127.0.0.1:${port}/graphql`, batchMax: 10, fetch: countedFetch }),
    })
    const query = gql('query Same($number: Int!) { same(number: $number) }')
    const numbers = Array.from({ length: 2_000 }, (_none, number) => number)
    const answers = await Promise.all(
      numbers.map((number) => client.query<object>({ query, variables: { number }, fetchPolicy: 'no-cache' })),
    )
    expect(answers.map(({ data }) => data)).toEqual(numbers.map((number) => ({ same: number })))
    expect(statuses).toEqual({ 200: 200 })
  })

  test('200 GET requests are answered in order, of which ten at a time are pipelined', async () => {
    const port = await serve()
    const pool = new Pool(`http://127.0.0.1:${port}`, { connections: 1, pipelining: 10 })
    onTestFinished(() => pool.destroy())
    let most = 0
    const order: number[] = []
    const ask = async (number: number): Promise<string> => {
      const path = `/graphql?query={same(number:${number})}`
      const { body } = await pool.request({ method: 'GET', path, blocking: false })
      most = Math.max(most, pool.stats.running)
      order.push(number)
      return body.text()
    }
    const numbers = Array.from({ length: 200 }, (_none, number) => number)
    const answers = await Promise.all(numbers.map(ask))
    expect(answers).toEqual(numbers.map((number) => `{"data":{"same":${number}}}`))
    expect(order).toEqual(numbers)
    expect(most).toBeGreaterThanOrEqual(9)
  })

  test('5 000 requests of 500 clients are answered over 500 connections of a trusted proxy', async () => {
    const port = await serve({ http: { trustedProxies: ['127.0.0.1'] } })
    const statuses: Record<string, number> = {}
    const pass = async (client: number): Promise<void> => {
      const agent = new Agent({ keepAlive: true, maxSockets: 1 })
      const headers = { 'x-forwarded-for': `10.1.${client >> 8}.${client & 255}` }
      for (let sent = 0; sent < 10; sent++) {
        const { status } = await post(port, { agent, headers }, (to) => to.end(bodyOf(sent === 9 ? 20_000 : 200)))
        statuses[`${status}`] = (statuses[`${status}`] ?? 0) + 1
      }
      agent.destroy()
    }
    await Promise.all(Array.from({ length: 500 }, (_none, client) => pass(client)))
    expect(statuses).toEqual({ 200: 5_000 })
  })

  test('a client that waits for 100 Continue sends its body then, and is answered', async () => {
    const port = await serve()
    const headers = { expect: '100-continue', 'content-length': `${bodyOf(90_000).length}` }
    const answer = await post(port, { headers }, (to) => {
      to.flushHeaders()
      to.once('continue', () => to.end(bodyOf(90_000)))
    })
    expect(answer).toEqual(answered)
  })
})

describe('a body over real sockets', () => {
  const streamed = (body: string, bytes: number): ReadableStream<Uint8Array> => {
    const whole = Buffer.from(body)
    let at = 0
    return new ReadableStream({
      pull(controller) {
        if (at >= whole.length) return controller.close()
        controller.enqueue(whole.subarray(at, at + bytes))
        at += bytes
      },
    })
  }
  const send = async (port: number, body: string | ReadableStream<Uint8Array>) => {
    const init = { method: 'POST', headers: json, body, duplex: 'half' }
    const response = await fetch(`http://127.0.0.1:${port}/graphql`, init as RequestInit)
    return { status: response.status, body: await response.text() }
  }

  test('is accepted with 90 kB, with a declared length and in chunks of 1 kB', async () => {
    const port = await serve()
    expect(await send(port, bodyOf(90_000))).toEqual(answered)
    expect(await send(port, streamed(bodyOf(90_000), 1_000))).toEqual(answered)
  })

  test('is accepted with 64 kB in chunks of 16 bytes', async () => {
    const port = await serve()
    const body = Buffer.from(bodyOf(64_000))
    const write = (to: ReturnType<typeof request>): void => {
      for (let at = 0; at < body.length; at += 16) to.write(body.subarray(at, at + 16))
      to.end()
    }
    expect(await post(port, {}, write)).toEqual(answered)
  })

  test('over the limit is refused, of a declared length and in chunks', async () => {
    const port = await serve()
    const status = (body: string | ReadableStream<Uint8Array>) => send(port, body).then((answer) => answer.status)
    expect(await status(bodyOf(100_001))).toBe(413)
    expect(await status(streamed(bodyOf(100_001), 1_000))).toBe(413)
    expect(await send(port, helloBody)).toEqual(answered)
  })
})

describe('subscriptions of one address over WebSockets', () => {
  const open = (port: number) => {
    const client = createClient({ url: `ws://127.0.0.1:${port}/graphql`, webSocketImpl: WebSocket, retryAttempts: 0 })
    onTestFinished(() => client.dispose())
    return client
  }
  const numbersOf = async (client: ReturnType<typeof open>, count: number): Promise<unknown[]> => {
    const numbers: unknown[] = []
    for await (const { data } of client.iterate({ query: 'subscription { numbers }' })) {
      numbers.push(data?.numbers)
      if (numbers.length === count) break
    }
    return numbers
  }

  test('deliver a hundred streams, ten on each of ten sockets', async () => {
    const port = await serve({ graphql: { streamLimits: { streamsPerClient: 100 } } })
    const clients = Array.from({ length: 10 }, () => open(port))
    const streams = clients.flatMap((client) => Array.from({ length: 10 }, () => numbersOf(client, 3)))
    expect(await Promise.all(streams)).toEqual(Array(100).fill([1, 2, 3]))
  })

  test('open and complete twenty streams of a socket at once', async () => {
    const port = await serve()
    const client = open(port)
    const streams = Array.from({ length: 20 }, () => numbersOf(client, 1))
    expect(await Promise.all(streams)).toEqual(Array(20).fill([1]))
    expect(await numbersOf(client, 2)).toEqual([1, 2])
  })
})
