import type { RedisClient } from '@latchkey/redis'
import { Redis } from 'ioredis'
import { createClient } from 'redis'

/** A client that tries again quickly, as the README advises, and the way to end it. */
export interface OpenClient {
  readonly client: RedisClient
  close(): void
}

export type Connect = (url: string) => Promise<OpenClient>

/** Both libraries, by name. */
export const libraries: readonly (readonly [name: string, connect: Connect])[] = [
  ['ioredis', connectIoredis],
  ['node-redis', connectNodeRedis],
]

async function connectIoredis(url: string): Promise<OpenClient> {
  const client = new Redis(url, { retryStrategy: (attempt) => Math.min(attempt * 50, 500) })
  client.on('error', () => {})
  await client.ping()
  return { client, close: () => client.disconnect() }
}

async function connectNodeRedis(url: string): Promise<OpenClient> {
  const client = createClient({ url, socket: { reconnectStrategy: (attempt) => Math.min(attempt * 50, 500) } })
  client.on('error', () => {})
  await client.connect()
  return { client, close: () => client.destroy() }
}
