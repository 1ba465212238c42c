import { createRedisStores, type RedisStores } from '@latchkey/redis'
import { describeCounterStore, describeRecordStore } from '@latchkey/store/testing'
import { useService } from '@latchkey/test-services'
import { Redis } from 'ioredis'
import { afterAll, describe, test } from 'vitest'
import { libraries, type OpenClient } from './clients.ts'
import { patientMs } from './support.ts'

const url = useService('redis')
const opened: OpenClient[] = []
afterAll(() => {
  for (const { close } of opened) close()
})

describe.each(libraries)('%s', (library, connect) => {
  const open = async (now?: () => number): Promise<RedisStores> => {
    const client = await connect(url)
    opened.push(client)
    return createRedisStores({
      client: client.client,
      waitReplicas: 0,
      deadlineMs: patientMs,
      prefix: `kit-${library}:`,
      ...(now && { now }),
    })
  }
  const createStoreAt = async (now: () => number) => (await open(now)).records
  const setVersion = async (key: string, version: number) => {
    const redis = new Redis(url)
    await redis.hset(`kit-${library}:record:${key}`, 'v', String(version))
    redis.disconnect()
  }
  describeRecordStore({ describe, test, createStore: async () => (await open()).records, createStoreAt, setVersion })
  describeCounterStore({ describe, test, createStore: async () => (await open()).counters })

  describe.each([
    ['the past', Date.UTC(2001, 0, 1)],
    ['the future', Date.UTC(2099, 0, 1)],
  ])('on its own clock in %s', (_when, start) => {
    let time = start
    const now = () => time
    const wait = async (milliseconds: number) => {
      time += milliseconds
    }
    describeRecordStore({
      describe,
      test,
      createStore: async () => (await open(now)).records,
      createStoreAt,
      now,
      wait,
    })
    describeCounterStore({ describe, test, createStore: async () => (await open(now)).counters, now, wait })
  })
})

describe('both libraries on one Redis', () => {
  let next = 0
  const open = async (): Promise<RedisStores> => {
    const [, connect] = libraries[next++ % libraries.length]!
    const client = await connect(url)
    opened.push(client)
    return createRedisStores({ client: client.client, waitReplicas: 0, deadlineMs: patientMs, prefix: 'kit-both:' })
  }
  describeRecordStore({ describe, test, createStore: async () => (await open()).records })
  describeCounterStore({ describe, test, createStore: async () => (await open()).counters })
})
