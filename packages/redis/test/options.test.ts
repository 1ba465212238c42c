import { randomBytes } from '@latchkey/bytes'
import { createRedisStores, type RedisClient } from '@latchkey/redis'
import { createRefreshTokens } from '@latchkey/sessions'
import { createOneTimeCredentials } from '@latchkey/store'
import { Cluster, Redis } from 'ioredis'
import { createClient, createCluster } from 'redis'
import { describe, expect, expectTypeOf, onTestFinished, test } from 'vitest'

function unconnected(): Redis {
  const client = new Redis({ lazyConnect: true })
  onTestFinished(() => client.disconnect())
  return client
}

function unconnectedCluster(): Cluster {
  const client = new Cluster([{ host: '127.0.0.1', port: 1 }], { lazyConnect: true })
  onTestFinished(() => client.disconnect())
  return client
}

test('the clients of both libraries are accepted', () => {
  expectTypeOf<Redis>().toExtend<RedisClient>()
  expectTypeOf<Cluster>().toExtend<RedisClient>()
  expectTypeOf<ReturnType<typeof createClient>>().toExtend<RedisClient>()
  expectTypeOf<ReturnType<typeof createCluster>>().toExtend<RedisClient>()
  for (const client of [unconnected(), unconnectedCluster(), createClient(), createCluster({ rootNodes: [{}] })]) {
    expect(createRedisStores({ client })).toHaveProperty('records')
  }
})

test.each<[what: string, options: () => object, name: string]>([
  ['no client', () => ({}), '"client" must be a client'],
  ['null for a client', () => ({ client: null }), '"client" must be a client'],
  ['the address of a server for a client', () => ({ client: 'redis://127.0.0.1' }), '"client" must be a client'],
  ['another object for a client', () => ({ client: { get: () => null } }), '"client" must be a client'],
  ['no time at all', () => ({ client: unconnected(), deadlineMs: 0 }), '"deadlineMs"'],
  ['no time to be silent', () => ({ client: unconnected(), silenceMs: 0 }), '"silenceMs"'],
  ['endless time', () => ({ client: unconnected(), deadlineMs: Number.POSITIVE_INFINITY }), '"deadlineMs"'],
  ['half a replica', () => ({ client: unconnected(), waitReplicas: 0.5 }), '"waitReplicas"'],
  ['less than no replica', () => ({ client: unconnected(), waitReplicas: -1 }), '"waitReplicas"'],
  ['replicas of an ioredis cluster', () => ({ client: unconnectedCluster(), waitReplicas: 1 }), '"waitReplicas"'],
  [
    'replicas of a node-redis cluster',
    () => ({ client: createCluster({ rootNodes: [{}] }), waitReplicas: 1 }),
    '"waitReplicas"',
  ],
  [
    'replicas of a client that cannot wait',
    () => ({ client: { eval: async () => null, evalsha: async () => null }, waitReplicas: 1 }),
    '"client"',
  ],
])('%s is refused when the stores are created', (_what, options, name) => {
  const make = () => createRedisStores(options() as Parameters<typeof createRedisStores>[0])
  expect(make).toThrow(TypeError)
  expect(make).toThrow(name)
})

test.each<[what: string, client: () => RedisClient]>([
  ['a cluster of ioredis', unconnectedCluster],
  ['a cluster of node-redis', () => createCluster({ rootNodes: [{}] })],
  ['a client that cannot wait', () => ({ eval: async () => null, evalsha: async () => null })],
])('%s is accepted with no replica to wait for', (_what, client) => {
  expect(createRedisStores({ client: client(), waitReplicas: 0 }).records.capabilities.consistency).toBe('strong')
})

test.each<[message: string, create: () => unknown]>([
  [
    'createRedisStores has no option "waitReplica". Did you mean "waitReplicas"?',
    () => createRedisStores({ client: unconnected(), waitReplica: 1 } as never),
  ],
  [
    'createRedisStores has no option "keyPrefix". Did you mean "prefix"?',
    () => createRedisStores({ client: unconnected(), keyPrefix: 'app:' } as never),
  ],
  [
    'createRedisStores has no option "url", only "client", "now", "deadlineMs", "silenceMs", "prefix", "waitReplicas"',
    () => createRedisStores({ client: unconnected(), url: 'redis://127.0.0.1' } as never),
  ],
  ['createRedisStores takes an object with "client", "now"', () => createRedisStores(undefined as never)],
])('no stores are created with a misspelt option: %s', (message, create) => {
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})

test('factories that take records accept both stores at once', () => {
  const stores = createRedisStores({ client: unconnected(), waitReplicas: 0 })
  const secrets = [{ id: 'one', bytes: randomBytes(32) }] as const
  expect(() => createRefreshTokens({ ...stores, secrets })).not.toThrow()
  expect(() => createOneTimeCredentials({ ...stores, kind: 'reset', ttlSeconds: 60 })).not.toThrow()
})

describe('the records', () => {
  const secrets = [{ id: 'one', bytes: randomBytes(32) }] as const

  test('are eventually consistent without waitReplicas', () => {
    const { records } = createRedisStores({ client: unconnected() })
    expect(records.capabilities).toEqual({
      contract: 1,
      consistency: 'eventual',
      nativeExpiry: true,
      expiryGranularityMs: 1,
    })
    expect(() => createRefreshTokens({ records, secrets })).toThrow('"records"')
    expect(() => createOneTimeCredentials({ records, kind: 'reset', ttlSeconds: 60 })).toThrow('"records"')
  })

  test.each([0, 1])('are strong with %i replicas to wait for', (waitReplicas) => {
    const { records } = createRedisStores({ client: unconnected(), waitReplicas })
    expect(records.capabilities.consistency).toBe('strong')
    expect(createRefreshTokens({ records, secrets })).toBeDefined()
  })

  test('refuse text that has no UTF-8 encoding', async () => {
    const { records } = createRedisStores({ client: unconnected() })
    const record = { key: 'se_1', owner: 'acc_1', expiresAt: Date.now() + 1000, value: '' }
    for (const field of ['key', 'owner', 'value']) {
      await expect(records.insert({ ...record, [field]: '\ud800' })).rejects.toThrow(TypeError)
    }
    await expect(records.replace({ ...record, version: 1 }, { ...record, value: '\udc00' })).rejects.toThrow(TypeError)
  })

  test.each([0, -1, 1.5, Number.NaN])('refuse a page of %d', async (limit) => {
    const { records } = createRedisStores({ client: unconnected() })
    await expect(records.listByOwner('acc_1', { limit })).rejects.toThrow('"limit"')
  })

  test.each(['', 'x', ':', 'key', '1', 'inf:x', 'x1:key'])(
    'refuse a cursor that no page returned: %j',
    async (cursor) => {
      const { records } = createRedisStores({ client: unconnected() })
      await expect(records.listByOwner('acc_1', { cursor })).rejects.toThrow('"cursor"')
    },
  )
})
