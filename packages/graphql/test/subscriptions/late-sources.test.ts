import { compileAccess, createSubscriptions } from '@latchkey/graphql'
import { createStreamHandler } from '@latchkey/graphql/sse'
import { createIdentityReader } from '@latchkey/http'
import { definePolicy } from '@latchkey/rbac'
import { isObjectType } from 'graphql'
import { expect, test, vi } from 'vitest'
import { schemaOf } from '../support/access-fixture.ts'
import { patience } from '../support/stream-client.ts'

const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: {} } })

/** A subscription whose source arrives when the test calls `arrive`. */
async function subscribe({ eventMs }: { readonly eventMs: number }) {
  const schema = schemaOf('type Query { hello: String @public } type Subscription { ticks: Int @public }', {})
  const type = schema.getSubscriptionType()
  if (!isObjectType(type)) throw new Error('no subscriptions')
  const opening = Promise.withResolvers<AsyncIterable<unknown>>()
  const requested = vi.fn(
    (_root: unknown, _args: unknown, _context: { readonly signal: AbortSignal }) => opening.promise,
  )
  Object.assign(type.getFields().ticks ?? {}, { subscribe: requested })
  const login: { isActive: boolean } = { isActive: true }
  const verify = async () => policy.identify(login.isActive ? { subject: 'ada', roles: ['READER'] } : null)
  const subscriptions = createSubscriptions({
    access: compileAccess({ schema, policy }),
    identify: createIdentityReader({ bearer: { verify } }),
    limits: { eventMs, recheckMs: 100 },
    observe: { onEvent: () => undefined },
  })
  const client = new AbortController()
  const response = createStreamHandler({ subscriptions }).fetch(
    new Request('https://example.com/?query=subscription{ticks}', {
      headers: { accept: 'text/event-stream', authorization: 'Bearer ada' },
      signal: client.signal,
    }),
  )
  await vi.waitFor(() => expect(requested).toHaveBeenCalled(), patience)
  const returned = vi.fn(async () => ({ done: true as const, value: undefined }))
  const next = () => new Promise<never>(() => undefined)
  const arrive = () => opening.resolve({ [Symbol.asyncIterator]: () => ({ next, return: returned }) })
  const signal = requested.mock.calls[0]?.[2].signal
  return { subscriptions, client, login, response, arrive, returned, signal }
}

test.each<[what: string, status: number, leave: (subscribing: Awaited<ReturnType<typeof subscribe>>) => void]>([
  ['its client is gone', 503, ({ client }) => client.abort()],
  ['its identity has ended', 401, ({ login }) => Object.assign(login, { isActive: false })],
  ['the service has closed', 503, ({ subscriptions }) => subscriptions.close()],
])('a source that arrives after %s is ended at once', async (_what, status, leave) => {
  const subscribing = await subscribe({ eventMs: 600_000 })
  leave(subscribing)
  expect((await subscribing.response).status).toBe(status)
  expect(subscribing.subscriptions.open).toBe(0)
  subscribing.arrive()
  await vi.waitFor(() => expect(subscribing.returned).toHaveBeenCalledOnce(), patience)
})

test('a source that takes too long is refused, its signal is aborted, and it is returned when it arrives', async () => {
  const subscribing = await subscribe({ eventMs: 1 })
  expect((await subscribing.response).status).toBe(503)
  expect(subscribing.signal?.aborted).toBe(true)
  subscribing.arrive()
  await vi.waitFor(() => expect(subscribing.returned).toHaveBeenCalledOnce(), patience)
})
