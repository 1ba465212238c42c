import { setTimeout } from 'node:timers/promises'
import { createRedisStores } from '@latchkey/redis'
import { describeCounterStore, describeRecordStore } from '@latchkey/store/testing'
import { findFreePort, startRedis, type TestServer, useService } from '@latchkey/test-services'
import { Cluster, Redis } from 'ioredis'
import { createCluster } from 'redis'
import { afterAll, beforeAll, describe, expect, inject, test } from 'vitest'
import { patientMs } from './support.ts'

useService('redis')

/** Two primaries with half of the slots each: a script on keys of both would be refused. */
const nodes: TestServer[] = []
const closers: (() => unknown)[] = []

beforeAll(async () => {
  if (inject('redis').url === null) return
  for (let index = 0; index < 2; index++) nodes.push(await startNode())
  const clients = nodes.map(({ url }) => new Redis(url))
  const [first, second] = clients as [Redis, Redis]
  await first.call('CLUSTER', 'ADDSLOTSRANGE', 0, 8191)
  await second.call('CLUSTER', 'ADDSLOTSRANGE', 8192, 16383)
  await first.call('CLUSTER', 'MEET', '127.0.0.1', nodes[1]?.port ?? 0, busPorts[1] ?? 0)
  await Promise.all(clients.map(whenUp))
  for (const client of clients) client.disconnect()
})
afterAll(async () => {
  for (const close of closers) await close()
  await Promise.all(nodes.map((node) => node.stop()))
})

const busPorts: number[] = []

async function whenUp(client: Redis): Promise<void> {
  while (!String(await client.cluster('INFO')).includes('cluster_state:ok')) await setTimeout(50)
}

async function startNode(): Promise<TestServer> {
  const busPort = await findFreePort()
  busPorts.push(busPort)
  const node = await startRedis(['--cluster-enabled', 'yes', '--cluster-port', String(busPort)])
  if (!node) throw new Error('Redis is not installed')
  return node
}

const libraries = [
  [
    'ioredis',
    async () => {
      const client = new Cluster(
        nodes.map(({ port }) => ({ host: '127.0.0.1', port })),
        { scaleReads: 'all' },
      )
      closers.push(() => client.disconnect())
      return client
    },
  ],
  [
    'node-redis',
    async () => {
      const client = createCluster({ rootNodes: nodes.map(({ url }) => ({ url })), useReplicas: true })
      client.on('error', () => {})
      await client.connect()
      closers.push(() => client.destroy())
      return client
    },
  ],
] as const

describe.each(libraries)('a cluster, with %s', (library, connect) => {
  const open = async () =>
    createRedisStores({ client: await connect(), waitReplicas: 0, deadlineMs: patientMs, prefix: `${library}:` })
  describeRecordStore({ describe, test, createStore: async () => (await open()).records })
  describeCounterStore({ describe, test, createStore: async () => (await open()).counters })

  test('has records on every node', async () => {
    const { records } = await open()
    const keys = Array.from({ length: 20 }, (_none, index) => `se_${index}`)
    for (const key of keys) await records.insert({ key, owner: 'acc_1', expiresAt: Date.now() + 60_000, value: '' })
    expect((await records.listByOwner('acc_1')).items).toHaveLength(20)
    const sizes = await Promise.all(
      nodes.map(async ({ url }) => {
        const client = new Redis(url)
        const found = await client.keys(`${library}:record:se_*`)
        client.disconnect()
        return found.length
      }),
    )
    expect(Math.min(...sizes)).toBeGreaterThan(0)
    expect(await records.removeByOwner('acc_1')).toBe(20)
  })
})
