export type { IoredisClient, NodeRedisClient, RedisClient } from './redis-client.ts'
export { createRedisStores, type RedisStores, type RedisStoresOptions } from './redis-stores.ts'
