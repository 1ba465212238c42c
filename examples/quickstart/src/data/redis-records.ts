import { createRedisStores } from '@latchkey/redis'
import { joinStores, type ServerStores } from '@latchkey/server'
import { Redis } from 'ioredis'

/**
 * Moves the records of the stores (sessions, refresh families and links) and the counts of attempts to the Redis of
 * `REDIS_URL`. Without replicas: a promoted replica could have lost a revocation. A flush signs all users out and resets the
 * rate limits; the database counts wrong passwords in a row.
 */
export function withRedisRecords(stores: ServerStores, url: string): ServerStores {
  const client = new Redis(url, {
    lazyConnect: true,
    retryStrategy: (attempt) => Math.min(attempt * 50, 500),
    // A connection that is silent while it is opened is given up; the stores do the same with one that is open.
    connectTimeout: 3000,
    socketTimeout: 5000,
  })
  // Operations fail by themselves while Redis is away; without a listener each event would be printed.
  client.on('error', () => {})
  const redis = createRedisStores({ client, waitReplicas: 0 })
  const close = async (): Promise<void> => {
    await redis.close()
    client.disconnect()
  }
  return joinStores(stores, { ...redis, close })
}
