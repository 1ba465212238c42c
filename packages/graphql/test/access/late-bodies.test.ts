import { setTimeout as wait } from 'node:timers/promises'
import { compileAccess, createGraphqlHandler, createSubscriptions } from '@latchkey/graphql'
import { createStreamHandler } from '@latchkey/graphql/sse'
import { createIdentityReader, type IdentityReader } from '@latchkey/http'
import { definePolicy, type Identity } from '@latchkey/rbac'
import { buildSchema } from 'graphql'
import { describe, expect, test } from 'vitest'

const policy = definePolicy({ permissions: [], roles: { READER: {} } })
const schema = buildSchema('type Query { hello: String } type Subscription { ticks: Int }')
const access = compileAccess({
  schema,
  policy,
  rules: { 'Query.hello': 'authenticated', 'Subscription.ticks': 'authenticated' },
})

const readerOf = (answer: () => Promise<Identity | null>): IdentityReader<Identity> =>
  createIdentityReader({ bearer: { verify: answer } })
const ada = async () => policy.identify({ subject: 'ada', roles: ['READER'] })

/** Sends a body some time after its head. */
function send(
  handler: { fetch(request: Request): Promise<Response> },
  body: object,
  { afterMs = 0, accept = '*/*' } = {},
) {
  const stream = new ReadableStream<Uint8Array>(
    {
      async pull(controller) {
        if (afterMs > 0) await wait(afterMs)
        controller.enqueue(new TextEncoder().encode(JSON.stringify(body)))
        controller.close()
      },
    },
    { highWaterMark: 0 },
  )
  const headers = { authorization: 'Bearer a', 'content-type': 'application/json', accept }
  const init = { method: 'POST', headers, body: stream, duplex: 'half' } as const
  return handler.fetch(new Request('https://example.com/graphql', init))
}

describe('an identity', () => {
  test('is read once for a body that comes with its head, and by "reidentify" after one that was long in coming', async () => {
    const reads: string[] = []
    const counted = (name: string) =>
      readerOf(() => {
        reads.push(name)
        return ada()
      })
    const handler = createGraphqlHandler({ access, identify: counted('identify'), reidentify: counted('reidentify') })
    expect((await send(handler, { query: '{ hello }' })).status).toBe(200)
    expect(reads).toEqual(['identify'])
    expect((await send(handler, { query: '{ hello }' }, { afterMs: 300 })).status).toBe(200)
    expect(reads).toEqual(['identify', 'identify', 'reidentify'])
  })

  test('revoked while the body arrived is refused, also without "reidentify"', async () => {
    const answers = [ada, async () => null]
    const handler = createGraphqlHandler({ access, identify: readerOf(() => (answers.shift() ?? ada)()) })
    expect((await send(handler, { query: '{ hello }' }, { afterMs: 300 })).status).toBe(401)
    expect(answers).toEqual([])
  })

  test('revoked while the body arrived opens no stream', async () => {
    const subscriptions = createSubscriptions({
      access,
      identify: readerOf(ada),
      reidentify: readerOf(async () => null),
    })
    const handler = createStreamHandler({ subscriptions })
    const late = { afterMs: 300, accept: 'text/event-stream' }
    const response = await send(handler, { query: 'subscription { ticks }' }, late)
    expect([response.status, await response.text()]).toEqual([401, expect.stringContaining('UNAUTHENTICATED')])
    subscriptions.close()
  })

  test('is read again only by an IdentityReader; other options throw', () => {
    const options = { access, identify: readerOf(ada), reidentify: ada as unknown as IdentityReader<Identity> }
    expect(() => createGraphqlHandler(options)).toThrow('"reidentify" must be an IdentityReader')
  })
})
