import { createRedisStores } from '@latchkey/redis'
import { beforeAll, expect, test } from 'vitest'
import { computeDigests } from './digests.ts'

beforeAll(computeDigests)

/** Stores on a server that describes itself so. */
function storesOn(info: string, waitReplicas?: number) {
  const evalsha = async () => ['done', String(Date.now()), info]
  const client = { eval: async () => [], evalsha, wait: async () => 9 }
  return createRedisStores({ client, ...(waitReplicas !== undefined && { waitReplicas }) })
}

const infoOf = (lines: Record<string, string>) =>
  Object.entries({ redis_version: '7.0.15', ...lines })
    .map(([name, value]) => `${name}:${value}\r\n`)
    .join('')

const evicting = { maxmemory: '1048576', maxmemory_policy: 'allkeys-lru' }

test.each<[what: string, info: string, waitReplicas?: number]>([
  ['a limit of memory without eviction', infoOf({ maxmemory: '1048576', maxmemory_policy: 'noeviction' })],
  ['eviction without a limit of memory', infoOf({ maxmemory: '0', maxmemory_policy: 'allkeys-lru' })],
  ['a limit whose policy it keeps to itself', infoOf({ maxmemory: '1048576' })],
  ['line breaks without a return', 'maxmemory:1048576\nmaxmemory_policy:noeviction\n'],
  ['nothing about itself', ''],
  ['replicas that no write waits for, where the records are eventual anyway', infoOf({ connected_slaves: '1' })],
  ['no replica, and none to wait for', infoOf({ connected_slaves: '0' }), 0],
  ['as many replicas as are waited for', infoOf({ connected_slaves: '2' }), 2],
  ['more replicas than are waited for', infoOf({ connected_slaves: '3' }), 2],
  ['replicas that it keeps to itself', infoOf({}), 1],
])('check() passes with %s', async (_what, info, waitReplicas) => {
  await storesOn(info, waitReplicas).check()
})

test.each<[what: string, info: string, waitReplicas: number | undefined, reason: string]>([
  [
    'records that may be dropped to make room',
    infoOf(evicting),
    undefined,
    'Redis may drop any record to make room (maxmemory-policy is allkeys-lru): set it to noeviction',
  ],
  [
    'the same where nothing else is said',
    'maxmemory_policy:volatile-ttl',
    undefined,
    'Redis may drop any record to make room (maxmemory-policy is volatile-ttl): set it to noeviction',
  ],
  [
    'replicas that no write waits for',
    infoOf({ connected_slaves: '1' }),
    0,
    'Redis has replicas: "waitReplicas" must not be 0',
  ],
  ['fewer replicas than are waited for', infoOf({ connected_slaves: '1' }), 2, 'Redis has 1 of 2 replicas'],
  ['ten replicas too few', infoOf({ connected_slaves: '9' }), 10, 'Redis has 9 of 10 replicas'],
])('check() rejects with %s, and says why', async (_what, info, waitReplicas, reason) => {
  await expect(storesOn(info, waitReplicas).check()).rejects.toMatchObject({
    name: 'StoreError',
    code: 'STORE_UNAVAILABLE',
    message: reason,
  })
})
