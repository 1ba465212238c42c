import { createRedisStores } from '@latchkey/redis'
import { joinStores, type ServerStores } from '@latchkey/server'
import { createPostgresBroadcast, createPostgresStores } from '@latchkey/sql'
import { Redis } from 'ioredis'
import pg from 'pg'

type Broadcast = ReturnType<typeof createPostgresBroadcast>

/**
 * Creates the stores that all processes share: accounts in PostgreSQL, sessions and counters in Redis, and messages from one
 * process to all. They connect on first use. `close` of the stores closes every connection.
 */
export function createStores(
  databaseUrl: string,
  redisUrl: string,
  deadlineMs: number,
): { readonly stores: ServerStores; readonly broadcast: Broadcast } {
  const limits = { connectionString: databaseUrl, connectionTimeoutMillis: 3000 }
  const client = new Redis(redisUrl, {
    lazyConnect: true,
    retryStrategy: (attempt) => Math.min(attempt * 50, 500),
    connectTimeout: 3000,
    socketTimeout: 5000,
  })
  client.on('error', (error) => console.error('Redis:', error.message))
  const broadcast = createPostgresBroadcast({
    async connect() {
      const connection = new pg.Client({ ...limits, keepAlive: true })
      await connection.connect()
      return connection
    },
  })
  const postgres = createPostgresStores({ pool: new pg.Pool(limits), deadlineMs })
  const redis = createRedisStores({ client, waitReplicas: 0, deadlineMs })
  const close = async (): Promise<void> => {
    await Promise.all([postgres.close(), redis.close(), broadcast.close()])
    client.disconnect()
  }
  return { stores: { ...joinStores(postgres, redis), close }, broadcast }
}
