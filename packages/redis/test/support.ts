import type { RedisStores } from '@latchkey/redis'
import {
  createTcpProxy,
  patienceMs,
  startRedis,
  startStopwatch,
  type TcpProxy,
  type TestServer,
} from '@latchkey/test-services'
import { Redis } from 'ioredis'
import { expect, onTestFinished } from 'vitest'

/** Starts a server for the test. */
export async function ownServer(words: readonly string[] = []): Promise<TestServer> {
  const server = await startRedis(words)
  if (!server) throw new Error('Redis is not installed')
  onTestFinished(() => server.stop())
  return server
}

export async function ownProxy(server: TestServer): Promise<TcpProxy> {
  const proxy = await createTcpProxy(server.port)
  onTestFinished(() => proxy.close())
  return proxy
}

/** A client that inspects the server without the stores. */
export async function observe(url: string): Promise<Redis> {
  const client = new Redis(url, { retryStrategy: (attempt) => Math.min(attempt * 50, 500) })
  client.on('error', () => {})
  onTestFinished(() => client.disconnect())
  await client.ping()
  return client
}

/** A primary and a replica that has what the primary has, each with a client that inspects it. */
export async function openPair() {
  const primary = await ownServer(['--repl-diskless-sync-delay', '0'])
  const replica = await ownServer(['--repl-diskless-sync-delay', '0', '--replicaof', '127.0.0.1', String(primary.port)])
  const [watched, promoted] = [await observe(primary.url), await observe(replica.url)]
  await whenFollowed(watched)
  return { primary, replica, watched, promoted }
}

/** Resolves when a replica has what this server has. */
export async function whenFollowed(server: Redis): Promise<void> {
  const isFollowed = async () => {
    await server.set('probe', '1', 'PX', 1)
    return server.wait(1, 100)
  }
  await expect.poll(isFollowed, { timeout: 30_000 }).toBe(1)
}

/** For stores whose deadline is not what a test is about: no load of the machine makes them fail. */
export const patientMs = 10_000

export const unavailable = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }

/** Returns how long a call took until it failed; fails when it did not, or not as an outage. */
export async function timeToFail(call: () => Promise<unknown>): Promise<number> {
  const elapsed = startStopwatch(250)
  const outcome = await call().then(
    (value) => ({ value }),
    (error: unknown) => error,
  )
  const elapsedMs = elapsed()
  expect(outcome).toMatchObject(unavailable)
  return elapsedMs
}

/** Returns how long it took until the stores answered again. */
export async function timeToRecover(stores: RedisStores): Promise<number> {
  const start = performance.now()
  for (;;) {
    const answered = await stores.records.get('se_unknown').then(
      () => true,
      () => false,
    )
    if (answered) return performance.now() - start
    if (performance.now() - start > patienceMs) throw new Error('the stores did not recover')
    await new Promise((resolve) => setTimeout(resolve, 10))
  }
}
