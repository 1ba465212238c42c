import { setTimeout } from 'node:timers/promises'
import { createRedisStores, type RedisStores } from '@latchkey/redis'
import { createFreezingProxy, expectWithin, type FreezingProxy, useService } from '@latchkey/test-services'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Connect, libraries } from './clients.ts'
import { observe, ownServer, timeToFail, timeToRecover } from './support.ts'

const rounds = process.env.TEST_TIER === '3' ? 10 : 3
// A machine without Redis skips these too.
const url = useService('redis')

async function freezingProxy(): Promise<FreezingProxy> {
  const proxy = await createFreezingProxy(Number(new URL(url).port))
  onTestFinished(() => proxy.close())
  return proxy
}

const record = { key: 'se_silent', owner: null, version: 1, value: 'kept' }

describe.each(libraries)('a connection of %s that', (library, connect: Connect) => {
  async function openStores(port: number, options: { silenceMs?: number } = {}): Promise<RedisStores> {
    const { client, close } = await connect(`redis://127.0.0.1:${port}`)
    onTestFinished(close)
    const stores = createRedisStores({ client, waitReplicas: 0, prefix: `${library}:`, ...options })
    onTestFinished(() => stores.close())
    await stores.records.insert({ ...record, expiresAt: stores.records.now() + 600_000 })
    return stores
  }

  test('is silently dead is given up, in each round, and stored records are still there', async () => {
    const proxy = await freezingProxy()
    const stores = await openStores(proxy.port)
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      proxy.freeze({ halfOpen: true })
      await timeToFail(() => stores.records.get(record.key))
      times.push(await timeToRecover(stores))
      expect(await stores.records.get(record.key)).toMatchObject({ value: 'kept' })
    }
    expectWithin(2000, `${library}: half-open connection: works again after`, times)
    // On a machine with other work a new connection may be silent for so long that it is given up, too.
    expect(proxy.opened).toBeLessThan(2 * rounds + 2)
  })

  test('is dead is given up after one request, for the next request', async () => {
    const proxy = await freezingProxy()
    const stores = await openStores(proxy.port)
    proxy.freeze({ halfOpen: true })
    await timeToFail(() => stores.records.get(record.key))
    await expect.poll(() => proxy.opened, { timeout: 10_000 }).toBe(2)
    expectWithin(1000, `${library}: dead since the last request: works again after`, await timeToRecover(stores))
  })

  test('stays in use while a server answers late, but answers', async () => {
    const server = await ownServer()
    const stores = await openStores(server.port, { silenceMs: 2000 })
    const redis = await observe(server.url)
    const connections = async () => Number(/total_connections_received:(\d+)/.exec(await redis.info('stats'))?.[1])
    const before = await connections()
    for (let round = 0; round < 3; round++) {
      await redis.call('CLIENT', 'PAUSE', '800', 'ALL')
      await timeToFail(() => stores.records.get(record.key))
      await timeToRecover(stores)
    }
    expect(await connections()).toBe(before)
  })

  test('is silent because the server hangs is renewed less and less often, and works when the server resumes', async () => {
    const server = await ownServer()
    const proxy = await createFreezingProxy(server.port)
    onTestFinished(() => proxy.close())
    const stores = await openStores(proxy.port, { silenceMs: 100 })
    server.pause()
    const end = performance.now() + 3000
    while (performance.now() < end) await timeToFail(() => stores.records.get(record.key))
    expect(proxy.opened).toBeGreaterThan(1)
    expect(proxy.opened).toBeLessThan(9)
    server.resume()
    expectWithin(2000, `${library}: server hung: works again after`, await timeToRecover(stores))
    expect(await stores.records.get(record.key)).toMatchObject({ value: 'kept' })
  })

  test('is no longer needed is not renewed', async () => {
    const proxy = await freezingProxy()
    const stores = await openStores(proxy.port, { silenceMs: 100 })
    proxy.freeze({ halfOpen: true })
    const reading = timeToFail(() => stores.records.get(record.key))
    await setTimeout(50)
    await stores.close()
    await reading
    await setTimeout(300)
    expect(proxy.opened).toBe(1)
  })
})
