import { compileAccess, createSubscriptions } from '@latchkey/graphql'
import { createIdentityReader, type HttpRequest } from '@latchkey/http'
import { definePolicy } from '@latchkey/rbac'
import { isObjectType } from 'graphql'
import { expect, test, vi } from 'vitest'
import { schemaOf } from '../support/access-fixture.ts'
import { patience } from '../support/stream-client.ts'

const request: HttpRequest = {
  method: 'GET',
  target: '/',
  header: () => null,
  peerAddress: '127.0.0.1',
  signal: new AbortController().signal,
  body: async () => '',
}

/** One subscription whose source is there only when the test says so. */
async function subscribe(eventMs: number) {
  const schema = schemaOf('type Query { hello: String @public } type Subscription { ticks: Int @public }', {})
  const type = schema.getSubscriptionType()
  if (!isObjectType(type)) throw new Error('no subscriptions')
  const opening = Promise.withResolvers<AsyncIterable<unknown>>()
  const asked = vi.fn(() => opening.promise)
  Object.assign(type.getFields().ticks ?? {}, { subscribe: asked })
  const policy = definePolicy({ permissions: ['notes:read'], roles: { READER: {} } })
  const identify = createIdentityReader({ bearer: { verify: async () => policy.identify(null) } })
  const subscriptions = createSubscriptions({
    access: compileAccess({ schema, policy }),
    identify,
    limits: { eventMs },
    onEvent: () => undefined,
  })
  const connection = subscriptions.connect({ request, established: await subscriptions.establish(request) })
  const opened = connection.subscribe({ query: 'subscription { ticks }' })
  await vi.waitFor(() => expect(asked).toHaveBeenCalled(), patience)
  const returned = vi.fn(async () => ({ done: true as const, value: undefined }))
  const next = () => new Promise<never>(() => undefined)
  const arrive = () => opening.resolve({ [Symbol.asyncIterator]: () => ({ next, return: returned }) })
  return { subscriptions, connection, opened, arrive, returned }
}

test.each<[what: string, leave: (subscriber: Awaited<ReturnType<typeof subscribe>>) => void]>([
  ['its client has gone', ({ connection }) => connection.close()],
  ['its identity has ended', ({ connection }) => connection.end('signed-out')],
  ['the service has closed', ({ subscriptions }) => subscriptions.close()],
])('a source that arrives when %s is given back', async (_what, leave) => {
  const subscriber = await subscribe(10_000)
  leave(subscriber)
  expect(await subscriber.opened).toMatchObject({ ok: false })
  expect(subscriber.subscriptions.open).toBe(0)
  subscriber.arrive()
  await vi.waitFor(() => expect(subscriber.returned).toHaveBeenCalledOnce(), patience)
})

test('a source that arrives after its time is given back', async () => {
  const subscriber = await subscribe(1)
  expect(await subscriber.opened).toMatchObject({ ok: false, answer: { status: 503 } })
  subscriber.arrive()
  await vi.waitFor(() => expect(subscriber.returned).toHaveBeenCalledOnce(), patience)
})
