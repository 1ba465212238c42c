import { createRedisStores, type RedisClient, type RedisStores } from '@latchkey/redis'
import { describeCounterStore, describeRecordStore } from '@latchkey/store/testing'
import { createFreezingProxy, type FreezingProxy, useService } from '@latchkey/test-services'
import { Redis } from 'ioredis'
import { createClient } from 'redis'
import { afterAll, beforeAll, describe, test } from 'vitest'
import { libraries, type OpenClient } from './clients.ts'

const deadlineMs = 2000
const url = useService('redis')

/** A client that tries to connect where nothing listens, again and again. */
const lost: Readonly<Record<string, () => OpenClient>> = {
  ioredis() {
    const client = new Redis('redis://127.0.0.1:1', { retryStrategy: () => 100 })
    client.on('error', () => {})
    return { client, close: () => client.disconnect() }
  },
  'node-redis'() {
    const client = createClient({ url: 'redis://127.0.0.1:1', socket: { reconnectStrategy: () => 100 } })
    client.on('error', () => {})
    client.connect().catch(() => {})
    return { client, close: () => client.destroy() }
  },
}

describe.each(libraries)('Redis by %s, out of reach or frozen', (library, connect) => {
  const opened: OpenClient[] = []
  let proxy: FreezingProxy
  beforeAll(async () => {
    if (url !== '') proxy = await createFreezingProxy(Number(new URL(url).port))
  })
  afterAll(async () => {
    for (const { close } of opened) close()
    await proxy?.close()
  })

  const storesOn = (client: RedisClient): RedisStores =>
    createRedisStores({ client, waitReplicas: 0, deadlineMs, prefix: `outages-${library}:` })
  const open = async (): Promise<RedisStores> => {
    const client = await connect(Object.assign(new URL(url), { port: String(proxy.port) }).href)
    opened.push(client)
    return storesOn(client.client)
  }
  const openLost = (): RedisStores => {
    const client = lost[library]?.()
    if (!client) throw new Error(`no client of ${library}`)
    opened.push(client)
    return storesOn(client.client)
  }
  // The rest of the kits needs more time on a busy machine: it is another file.
  const kit = {
    describe: (name: string, body: () => void) => /(store|outages)$/.test(name) && describe(name, body),
    test,
    freeze: () => proxy.freeze(),
    thaw: () => proxy.thaw(),
    deadlineMs,
  }
  describeRecordStore({
    ...kit,
    createStore: async () => (await open()).records,
    unreachable: () => openLost().records,
  })
  describeCounterStore({
    ...kit,
    createStore: async () => (await open()).counters,
    unreachable: () => openLost().counters,
  })
})
