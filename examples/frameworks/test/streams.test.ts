import { createClient } from 'graphql-sse'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { app as express } from '../src/express.ts'
import { app as fastify } from '../src/fastify.ts'
import { app as hono } from '../src/hono.ts'
import { app as koa } from '../src/koa.ts'
import { graphqlRoute, streamRoute } from '../src/next.ts'
import { bearer, post, type Running, start, whenListening } from './servers.ts'

describe.each([
  ['Express 5', () => start.express(express)],
  ['Fastify 5', () => start.fastify(fastify)],
  ['Hono 4', () => start.hono(hono)],
  ['Koa 3', () => start.koa(koa)],
  ['route handlers of Next.js', () => start.routes({ '/graphql': graphqlRoute, '/graphql/stream': streamRoute })],
])('a stream handler in %s', (_name, begin) => {
  let running: Running
  beforeAll(async () => {
    running = await whenListening(await begin())
  })
  afterAll(() => running.close())

  test('/graphql/stream sends the events of a subscription, and its end', async () => {
    const headers = bearer('token-of-ada')
    const client = createClient({ url: `${running.url}/graphql/stream`, headers, retryAttempts: 0 })
    const events: unknown[] = []
    for await (const { data } of client.iterate({ query: 'subscription { noteAdded }' })) events.push(data)
    expect(events).toEqual([{ noteAdded: 'Buy milk' }, { noteAdded: 'Feed the otters' }])
    client.dispose()
  })

  test('/graphql/stream refuses a subscription without an identity before it streams', async () => {
    const response = await fetch(`${running.url}/graphql/stream?query=subscription{noteAdded}`, {
      headers: { accept: 'text/event-stream' },
    })
    expect([response.status, await response.json()]).toMatchObject([
      401,
      { errors: [{ extensions: { code: 'UNAUTHENTICATED' } }] },
    ])
  })

  test('/graphql answers queries', async () => {
    const response = await post(running.url, '{ hello }')
    expect([response.status, await response.json()]).toEqual([200, { data: { hello: 'Hello' } }])
  })
})
