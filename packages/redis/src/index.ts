export type { RedisClient } from './redis-client.ts'
export { createRedisStores, type RedisStores } from './redis-stores.ts'
