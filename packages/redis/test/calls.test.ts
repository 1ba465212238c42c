import { EventEmitter } from 'node:events'
import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { createRedisStores } from '@latchkey/redis'
import { afterEach, beforeAll, describe, expect, test, vi } from 'vitest'
import { computeDigests } from './digests.ts'

beforeAll(computeDigests)

const hour = 3_600_000
const unavailable = { name: 'StoreError', code: 'STORE_UNAVAILABLE' }

type Reply = readonly unknown[]

/** A server that answers by the key, and what it was sent. */
function createServer(replies: (key: string, args: readonly string[]) => Reply, replicas = 9) {
  const events = new EventEmitter()
  const keys: string[] = []
  const args: string[][] = []
  const waits: number[] = []
  const client = {
    eval: async () => [],
    async evalsha(_sha1: string, _count: number, key: string, ...given: string[]) {
      keys.push(key)
      args.push(given)
      return ['done', String(Date.now()), ...replies(key, given)]
    },
    async wait(_replicas: number, timeoutMs: number) {
      waits.push(timeoutMs)
      return replicas
    },
    on: (event: string, listener: () => void) => events.on(event, listener),
    off: (event: string, listener: () => void) => events.off(event, listener),
  }
  return { client, events, keys, args, waits }
}

const record = { key: 'se_1', owner: null, version: 1, expiresAt: Date.now() + hour, value: '' }
const stored = (owner: string | null) => [owner, '1', String(record.expiresAt), '']

afterEach(() => {
  vi.useRealTimers()
})

test('a record without an owner does not touch the index of owners', async () => {
  let owner: string | null = null
  const { client, keys } = createServer(() => ['1', owner])
  const { records } = createRedisStores({ client })
  expect(await records.insert(record)).toBe(true)
  expect(await records.replace(record, record)).toBe(true)
  expect(await records.touch(record, record.expiresAt)).toBe(true)
  expect(await records.remove(record.key)).toBe(true)
  expect(new Set(keys)).toEqual(new Set(['latchkey:record:se_1']))
  // Nothing comes later either: no caller waits for the index, and this is sent after it.
  owner = 'acc_1'
  expect(await records.remove(record.key)).toBe(true)
  await expect.poll(() => keys).toContain('latchkey:owner:acc_1')
  expect(new Set(keys)).toEqual(new Set(['latchkey:record:se_1', 'latchkey:owner:acc_1']))
})

test('an operation without a change waits for no replica', async () => {
  const { client, keys, waits } = createServer((key) => (key.includes('counter:') ? ['3', '9'] : [[]]))
  const { records, counters } = createRedisStores({ client, waitReplicas: 1 })
  expect(await records.removeByOwner('acc_1')).toBe(0)
  expect((await counters.hit('sign-in', 1000, 0)).count).toBe(3)
  await records.get('se_1')
  expect(waits).toEqual([])
  expect(keys.filter((key) => key.includes('owner:')).length).toBeGreaterThan(0)
  await counters.hit('sign-in', 1000)
  await counters.hit('sign-in', 1000, -1)
  expect(waits).toHaveLength(2)
})

test('replicas are waited for as long as the deadline leaves, and at least for a moment', async () => {
  const { client, waits } = createServer(() => ['1'])
  const { records } = createRedisStores({ client, waitReplicas: 1, deadlineMs: 10_000 })
  await records.insert(record)
  expect(waits).toHaveLength(1)
  expect(waits[0]).toBeGreaterThan(1)
  expect(waits[0]).toBeLessThanOrEqual(10_000)
  expect(Number.isInteger(waits[0])).toBe(true)
})

describe('a list', () => {
  test('leaves out what the index names and the record does not belong to', async () => {
    const owners: Record<string, string | null> = { se_1: 'acc_1', se_2: 'acc_2', se_3: null }
    const { client } = createServer((key) => {
      if (key.includes('owner:')) return [['se_1', '1', 'se_2', '2', 'se_3', '3', 'se_4', '4']]
      const name = key.split(':').at(-1) ?? ''
      return name in owners ? stored(owners[name] ?? null) : []
    })
    const page = await createRedisStores({ client }).records.listByOwner('acc_1')
    expect(page.items.map(({ key }) => key)).toEqual(['se_1'])
    expect(page).not.toHaveProperty('cursor')
  })

  test.each([
    [1, undefined],
    [3, undefined],
    [4, '3:se_3'],
  ])('has with %i entries, three on a page, the cursor %j', async (entries, cursor) => {
    const flat = Array.from({ length: entries }, (_none, index) => [`se_${index + 1}`, `${index + 1}`]).flat()
    const { client } = createServer((key) => (key.includes('owner:') ? [flat] : stored('acc_1')))
    const page = await createRedisStores({ client }).records.listByOwner('acc_1', { limit: 3 })
    expect(page.items).toHaveLength(Math.min(entries, 3))
    expect(page.cursor).toBe(cursor)
  })

  test('is empty if the server returns no list', async () => {
    const { client } = createServer(() => [null])
    expect(await createRedisStores({ client }).records.listByOwner('acc_1')).toEqual({ items: [] })
  })
})

test('a removal of all records continues after the last entry of a page, removed or not', async () => {
  const entries = Array.from({ length: 250 }, (_none, index) => `se_${index}`)
  const pages: (readonly string[])[] = []
  const { client } = createServer((key, [, , limit, , ...after]) => {
    // Each record has another owner by now.
    if (!key.includes('owner:')) return ['0']
    pages.push(after)
    const first = after.length === 0 ? 0 : entries.indexOf(after[1] ?? '') + 1
    const page = entries.slice(first, first + Number(limit))
    return [page.flatMap((name) => [name, `${entries.indexOf(name) + 1}`])]
  })
  expect(await createRedisStores({ client }).records.removeByOwner('acc_1')).toBe(0)
  expect(pages).toEqual([[], ['200', 'se_199']])
})

test('each hit has a unique id of the same length, across processes too', async () => {
  const { client, args } = createServer(() => ['1', '9'])
  // So many processes that a byte below 16 is among their random ones.
  for (let index = 0; index < 50; index++) {
    const { counters, close } = createRedisStores({ client })
    for (let hit = 0; hit < 6; hit++) await counters.hit('sign-in', 1000)
    await close()
  }
  const names = args.map((given) => given.at(-1))
  for (const name of names) expect(name).toMatch(/^[0-9a-f]{20} $/)
  expect(new Set(names).size).toBe(300)
})

test.each(['close', 'reconnecting', 'end'])('a waiting call fails at the event %j of its client', async (event) => {
  const { client, events } = createServer(() => [])
  const stuck = { ...client, evalsha: () => new Promise<never>(() => {}) }
  const stores = createRedisStores({ client: stuck, deadlineMs: 30_000 })
  const reading = stores.records.get('se_1')
  const failing = expect(reading).rejects.toMatchObject(unavailable)
  await Promise.resolve()
  events.emit(event)
  await failing
  await stores.close()
  expect(events.listenerCount(event)).toBe(0)
})

test('closed stores send no command', async () => {
  const { client, keys } = createServer(() => [])
  const stores = createRedisStores({ client })
  await stores.records.get('se_1')
  expect(keys).toHaveLength(1)
  await stores.close()
  await expect(stores.records.get('se_1')).rejects.toMatchObject(unavailable)
  await expect(stores.check()).rejects.toMatchObject(unavailable)
  expect(keys).toHaveLength(1)
})

test('a client that takes no listener away again can be used, and its stores closed', async () => {
  const { client, events } = createServer(() => [])
  const { off: _off, ...withoutOff } = client
  const stores = createRedisStores({ client: withoutOff })
  expect(await stores.records.get('se_1')).toBeNull()
  await stores.close()
  expect(events.listenerCount('close')).toBe(1)
})

test('a server that reports every answer as late is tried three times', async () => {
  let asked = 0
  const evalsha = async () => {
    asked++
    return ['late', String(Date.now())]
  }
  const { client } = createServer(() => [])
  const { records } = createRedisStores({ client: { ...client, evalsha }, deadlineMs: 10_000 })
  await expect(records.get('se_1')).rejects.toMatchObject(unavailable)
  expect(asked).toBe(3)
})

test('an answer leaves no timer behind, which would keep a process alive', async () => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout'] })
  const { client } = createServer(() => [])
  expect(await createRedisStores({ client }).records.get('se_1')).toBeNull()
  expect(vi.getTimerCount()).toBe(0)
})

test('an answer leaves no memory behind', async () => {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  const heapUsed = () => {
    collectGarbage()
    return process.memoryUsage().heapUsed
  }
  const evalsha = async () => ['done', String(Date.now())]
  const { records } = createRedisStores({ client: { eval: async () => [], evalsha } })
  await records.get('se_1')
  const before = heapUsed()
  for (let read = 0; read < 20_000; read++) await records.get('se_1')
  expect(heapUsed() - before).toBeLessThan(3_000_000)
  await records.get('se_1')
})
