import { createSubscriptions } from '@latchkey/graphql'
import { toUpgradeListener } from '@latchkey/graphql/node'
import { createStreamHandler } from '@latchkey/graphql/sse'
import { createSocketHandler } from '@latchkey/graphql/ws'
import { expect, test } from 'vitest'
import { type StreamingService, serveStreams } from '../support/streaming-service.ts'

const parts = { access: { prepare: () => undefined }, identify: { read: () => undefined } }
const subscriptionsWith = (options: object) => () => createSubscriptions({ ...parts, ...options } as never)

const streamHandlerWith =
  (options: object) =>
  ({ subscriptions }: StreamingService) =>
    createStreamHandler({ subscriptions, ...options })

const socketHandlerWith =
  (options: object) =>
  ({ subscriptions }: StreamingService) =>
    createSocketHandler({ subscriptions, ...options })

const listenerWith =
  (options: unknown) =>
  ({ subscriptions }: StreamingService) =>
    toUpgradeListener(createSocketHandler({ subscriptions }), options as never)

test.each<[message: string, create: (service: StreamingService) => unknown]>([
  ['createSubscriptions has no option "limit". Did you mean "limits"?', subscriptionsWith({ limit: {} })],
  ['createSubscriptions has no option "expireAt". Did you mean "expiresAt"?', subscriptionsWith({ expireAt: null })],
  ['"limits" has no option "pingMS". Did you mean "pingMs"?', subscriptionsWith({ limits: { pingMS: 1 } })],
  ['"limits" has no option "recheck". Did you mean "recheckMs"?', subscriptionsWith({ limits: { recheck: 100 } })],
  ['"limits" has no option "__proto__"', subscriptionsWith({ limits: JSON.parse('{"__proto__":1}') })],
  ['"limits" takes an object with "streams", ', subscriptionsWith({ limits: null })],
  ['"limits" takes an object with "streams", ', subscriptionsWith({ limits: 5 })],
  ['createStreamHandler has no option "urlByte". Did you mean "urlBytes"?', streamHandlerWith({ urlByte: 1 })],
  ['createStreamHandler has no option "limits", only "subscriptions", ', streamHandlerWith({ limits: {} })],
  [
    'createSocketHandler has no option "subscription". Did you mean "subscriptions"?',
    socketHandlerWith({ subscription: 1 }),
  ],
  ['toUpgradeListener has no option "paths". Did you mean "path"?', listenerWith({ path: '/graphql', paths: [] })],
  ['toUpgradeListener takes an object with "path"', listenerWith(undefined)],
  ['"path" must begin with /', listenerWith({ path: 7 })],
])('a wrong option is a TypeError: %s', async (message, create) => {
  const service = await serveStreams()
  expect(() => create(service)).toThrow(TypeError)
  expect(() => create(service)).toThrow(message)
})
