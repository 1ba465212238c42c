import { once } from 'node:events'
import { connect as connectTo } from 'node:net'
import { setTimeout } from 'node:timers/promises'
import { createRedisStores, type RedisStores } from '@latchkey/redis'
import { createFreezingProxy, expectWithin, useService } from '@latchkey/test-services'
import { describe, expect, onTestFinished, test } from 'vitest'
import { type Connect, libraries } from './clients.ts'
import { observe, openPair, ownServer, timeToFail, timeToRecover, whenFollowed } from './support.ts'

const rounds = 10
// A machine without Redis skips these too.
useService('redis')

const kept = { key: 'se_kept', owner: 'ada', value: 'kept' }

/** Reads for some time, as a service does, and returns the number of reads. Each of them fails. */
async function asking(stores: RedisStores, milliseconds: number): Promise<number> {
  let count = 0
  for (const end = performance.now() + milliseconds; performance.now() < end; count++) {
    await timeToFail(() => stores.records.get(kept.key))
    await setTimeout(10)
  }
  return count
}

/** Whether the server loads its data. A client would wait for the end of it. */
async function loadsData(port: number): Promise<boolean> {
  const socket = connectTo(port, '127.0.0.1')
  try {
    socket.write('PING\r\n')
    const [reply] = await once(socket, 'data')
    return String(reply).startsWith('-LOADING')
  } catch {
    return false
  } finally {
    socket.destroy()
  }
}

describe.each(libraries)('%s', (library, connect: Connect) => {
  async function openStores(target: number) {
    const proxy = await createFreezingProxy(target)
    onTestFinished(() => proxy.close())
    const { client, close } = await connect(`redis://127.0.0.1:${proxy.port}`)
    onTestFinished(close)
    const stores = createRedisStores({ client, waitReplicas: 0 })
    onTestFinished(() => stores.close())
    return { proxy, stores }
  }
  const judge = (what: string, times: readonly number[]) =>
    expectWithin(3000, `${library}: ${what}: works again after ${times.map((ms) => ms.toFixed(0)).join(', ')}:`, [
      Math.max(...times),
    ])

  test('a connection to a demoted primary is dropped, and the client finds the new primary behind the name, in each round', async () => {
    const { primary, replica, watched, promoted } = await openPair()
    const pair = [
      { port: primary.port, server: watched },
      { port: replica.port, server: promoted },
    ] as const
    const { proxy, stores } = await openStores(primary.port)
    await stores.records.insert({ ...kept, expiresAt: stores.records.now() + 600_000 })
    const times: number[] = []
    for (let round = 0; round < rounds; round++) {
      const [old, next] = [pair[round % 2]!, pair[(round + 1) % 2]!]
      await whenFollowed(old.server)
      await next.server.replicaof('NO', 'ONE')
      await old.server.replicaof('127.0.0.1', next.port)
      // At first the name leads to the old one still, and so does what the client opens.
      await asking(stores, round % 4 === 3 ? 1500 : 0)
      proxy.moveTo(next.port)
      times.push(await timeToRecover(stores))
      expect(await stores.records.get(kept.key)).toMatchObject({ value: 'kept' })
      expect((await stores.counters.hit('rounds', 600_000)).count).toBe(round + 1)
    }
    judge('the connection stays at a replica', times)
    expect(proxy.opened).toBeLessThan(5 * rounds)
  })

  test('a connection to a server that loads its data for too long is dropped, and the client finds the server behind the name', async () => {
    const slow = ['--key-load-delay', '1000', '--loading-process-events-interval-bytes', '1024']
    const [old, next] = [await ownServer(slow), await ownServer()]
    const filled = await observe(old.url)
    for (let step = 0; step < 100; step++)
      await filled.mset(Array.from({ length: 200 }, (_none, index) => `${step}:${index}`))
    await filled.save()
    const { proxy, stores } = await openStores(old.port)
    await stores.check()
    await old.kill()
    // It loads for 20 s, unless it is killed.
    const loaded = old.start().catch(() => {})
    await expect.poll(async () => loadsData(old.port)).toBe(true)
    await asking(stores, 500)
    proxy.moveTo(next.port)
    judge('the connection stays at a server that loads', [await timeToRecover(stores)])
    await old.kill()
    await loaded
  })

  test('a client with the address of a replica reconnects every 2 s at most, and works after the promotion', async () => {
    const { replica, promoted } = await openPair()
    const { proxy, stores } = await openStores(replica.port)
    expect(await asking(stores, 4000)).toBeGreaterThan(50)
    // At once, and after 0.5, 1.5 and 3.5 s.
    expect(proxy.opened).toBeGreaterThan(2)
    expect(proxy.opened).toBeLessThanOrEqual(5)
    await setTimeout(2500)
    expect(proxy.opened, 'when nothing is asked').toBeLessThanOrEqual(6)
    await promoted.replicaof('NO', 'ONE')
    judge('a replica is promoted', [await timeToRecover(stores)])
  })
})
