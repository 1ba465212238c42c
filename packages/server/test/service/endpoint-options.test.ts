import { once } from 'node:events'
import { createServer } from 'node:http'
import type { AddressInfo } from 'node:net'
import type { RateLimitHook } from '@latchkey/graphql'
import { toNodeListener } from '@latchkey/http/node'
import { GraphQLError } from 'graphql'
import { describe, expect, test } from 'vitest'
import { type BenchOptions, createBench } from '../support/bench.ts'

const send = async (options: BenchOptions['options'], body: string) => {
  const { server } = createBench({ options: options ?? {} })
  const headers = { 'content-type': 'application/json', accept: 'application/graphql-response+json' }
  const response = await server.fetch(new Request('https://example.com/graphql', { method: 'POST', headers, body }))
  return { status: response.status, body: await response.json() }
}

describe('the GraphQL endpoint of a server takes', () => {
  test('a profile of statuses', async () => {
    const body = JSON.stringify({ query: '{ nothing }' })
    expect(await send({}, body)).toMatchObject({ status: 400 })
    expect(await send({ graphql: { statusProfile: 'draft-2026' } }, body)).toMatchObject({ status: 422 })
  })

  test('a limit for bodies', async () => {
    const body = JSON.stringify({ query: '{ hello }' })
    expect(await send({ graphql: { requestLimits: { bodyBytes: 10 } } }, body)).toMatchObject({ status: 413 })
  })

  test('a rate limit, which gets the address behind the proxies of the server', async () => {
    const asked: unknown[] = []
    const rateLimit: RateLimitHook = async ({ addressKey, identity }) => {
      asked.push([addressKey, identity])
      return { ok: false, retryAfterSeconds: 7 }
    }
    const { server } = createBench({ options: { graphql: { rateLimit }, http: { trustedProxies: ['127.0.0.1'] } } })
    const listener = createServer(toNodeListener(server)).listen(0, '127.0.0.1')
    await once(listener, 'listening')
    const { port } = listener.address() as AddressInfo
    const headers = { 'x-forwarded-for': '192.0.2.7', 'x-forwarded-host': 'example.com' }
    const response = await fetch(`http://127.0.0.1:${port}/graphql?query={hello}`, { headers })
    expect([response.status, response.headers.get('retry-after')]).toEqual([429, '7'])
    expect(asked).toEqual([['192.0.2.7', null]])
    listener.closeAllConnections()
    listener.close()
  })

  test('error codes of the application, which are masked without it', async () => {
    const resolvers = {
      Query: {
        hello() {
          throw new GraphQLError('Sold out.', { extensions: { code: 'OUT_OF_STOCK', left: 0, secret: 1 } })
        },
      },
    }
    const body = JSON.stringify({ query: '{ hello }' })
    const graphql = { errors: { OUT_OF_STOCK: { expose: ['left'] } } }
    const { body: answered } = await send({ resolvers, graphql }, body)
    expect(answered.errors).toMatchObject([{ message: 'Sold out.', path: ['hello'] }])
    expect(answered.errors[0].extensions).toEqual({ code: 'OUT_OF_STOCK', left: 0 })
    const masked = await send({ resolvers }, body)
    expect(masked.body.errors[0].extensions.code).toBe('INTERNAL_SERVER_ERROR')
  })

  test('no option that cannot be used: it is refused before the server opens', () => {
    expect(() => createBench({ options: { graphql: { requestLimits: { urlBytes: 0 } } } })).toThrow(
      '"graphql.requestLimits.urlBytes" must be',
    )
  })
})
