import { setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import {
  createBroadcastReaders,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
} from '@latchkey/store'
import { cpuMilliseconds, medianCpuMilliseconds } from '@latchkey/test-services'
import { describe, expect, test } from 'vitest'

const start = Date.UTC(2026, 0, 1)

test('records that the memory store returns are frozen', async () => {
  const store = createMemoryRecordStore({ now: () => start })
  const record = { key: 'k', owner: 'o', expiresAt: start + 1, value: 'v' }
  await store.insert(record)
  await store.touch(record, start + 2)
  expect(Object.isFrozen(await store.get('k'))).toBe(true)
  await store.replace({ ...record, version: 1 }, { ...record, expiresAt: start + 3 })
  expect(Object.isFrozen((await store.listByOwner('o')).items[0])).toBe(true)
})

test('pages are complete and in order, however many records between them were removed', async () => {
  let time = start
  const store = createMemoryRecordStore({ now: () => time })
  const keyOf = (index: number) => `k${String(index).padStart(3, '0')}`
  for (let index = 0; index < 300; index++) {
    await store.insert({ key: keyOf(index), owner: 'o', expiresAt: time + (index % 3 === 0 ? 5 : 50), value: '' })
  }
  const left = Array.from({ length: 300 }, (_none, index) => index).filter((index) => index % 3 !== 0)
  const first = await store.listByOwner('o', { limit: 10 })
  const removed = left.filter((index) => index % 4 < 3)
  for (const index of removed) await store.remove(keyOf(index))
  time += 5
  const rest: string[] = []
  for (let cursor = first.cursor; cursor !== undefined; ) {
    const page = await store.listByOwner('o', { limit: 7, cursor })
    expect(page.items.length).toBeLessThanOrEqual(7)
    rest.push(...page.items.map(({ key }) => key))
    cursor = page.cursor
  }
  const expected = left.filter((index) => index % 4 === 3 && index > 9).map(keyOf)
  expect(rest).toEqual(expected)
  // Those that expired are removed and counted as well.
  expect(await store.removeByOwner('o')).toBe(300 - removed.length)
  expect(await store.listByOwner('o')).toEqual({ items: [] })
})

test('the last page has no cursor, also when it is full', async () => {
  const store = createMemoryRecordStore({ now: () => start })
  for (const key of ['k1', 'k2', 'k3', 'k4']) await store.insert({ key, owner: 'o', expiresAt: start + 1, value: '' })
  const first = await store.listByOwner('o', { limit: 2 })
  const second = await store.listByOwner('o', { limit: 2, cursor: first.cursor! })
  expect(second.items.map(({ key }) => key)).toEqual(['k3', 'k4'])
  expect(second).not.toHaveProperty('cursor')
})

test('the memory store declares its capabilities', async () => {
  const store = createMemoryRecordStore()
  expect(store.capabilities).toEqual({
    contract: 1,
    consistency: 'strong',
    nativeExpiry: false,
    expiryGranularityMs: 1,
  })
  expect(store.isInMemory?.()).toBe(true)
})

test('a key that is used again after it has expired belongs to its new owner alone', async () => {
  let time = start
  const store = createMemoryRecordStore({ now: () => time })
  const keys = Array.from({ length: 50 }, (_none, index) => `k${index}`)
  for (const key of keys) await store.insert({ key, owner: 'old', expiresAt: start + 1, value: '' })
  time += 1
  // The last ones first: an insert sweeps some of those that stand at the beginning.
  const again = keys.slice(-8).reverse()
  for (const key of again) {
    expect(await store.insert({ key, owner: 'new', expiresAt: start + 2, value: '' })).toBe(true)
  }
  await store.removeByOwner('old')
  for (const key of again) expect(await store.get(key)).toMatchObject({ owner: 'new', version: 1 })
  expect(await store.removeByOwner('new')).toBe(8)
})

test('a window expires at the instant that it returned', async () => {
  let time = start
  const store = createMemoryCounterStore({ now: () => time })
  const { resetAt } = await store.hit('k', 1000)
  time = resetAt - 1
  expect(await store.hit('k', 1000)).toEqual({ count: 2, resetAt })
  time = resetAt
  expect(await store.hit('k', 1000)).toEqual({ count: 1, resetAt: resetAt + 1000 })
})

test('expired records do not accumulate, even without a sweep', async () => {
  let time = start
  const store = createMemoryRecordStore({ now: () => time })
  for (let index = 0; index < 2000; index++) {
    await store.insert({ key: `k${index}`, owner: `o${index}`, expiresAt: time + 10, value: '' })
    time++
  }
  let left = 0
  for (let round = 0; round < 100; round++) left += (await store.sweep?.(1000)) ?? 0
  expect(left).toBeLessThan(50)
})

test('a removal ignores expiry: a removed record stays removed when the clock is set back', async () => {
  let time = start
  const store = createMemoryRecordStore({ now: () => time })
  for (const key of ['k1', 'k2']) await store.insert({ key, owner: 'o', expiresAt: start + 1000, value: '' })
  time += 1000
  expect([await store.get('k1'), await store.get('k2')]).toEqual([null, null])
  await store.remove('k1')
  await store.removeByOwner('o')
  time = start
  expect([await store.get('k1'), await store.get('k2')]).toEqual([null, null])
})

test('a sweep removes at most its limit, and finishes', async () => {
  let time = start
  const store = createMemoryRecordStore({ now: () => time })
  for (let index = 0; index < 10; index++) {
    await store.insert({ key: `k${index}`, owner: null, expiresAt: time + 9, value: '' })
  }
  time += 9
  const steps: (number | undefined)[] = []
  for (let step = 0; step < 4; step++) steps.push(await store.sweep?.(4))
  expect(steps.every((removed) => removed !== undefined && removed <= 4)).toBe(true)
  expect(steps.reduce<number>((sum, removed) => sum + (removed ?? 0), 0)).toBe(10)
})

/** Returns by how many bytes the heap has grown after garbage collection. */
async function growthOfHeap(work: () => Promise<void>): Promise<number> {
  setFlagsFromString('--expose-gc')
  const collectGarbage: () => void = runInNewContext('gc')
  collectGarbage()
  const before = process.memoryUsage().heapUsed
  await work()
  collectGarbage()
  return process.memoryUsage().heapUsed - before
}

describe('memory is released for', () => {
  test('closed windows', async () => {
    let time = start
    const store = createMemoryCounterStore({ now: () => time })
    const growth = await growthOfHeap(async () => {
      for (; time < start + 50_000; time++) await store.hit(`address ${time}`, 10)
    })
    expect(growth).toBeLessThan(2_000_000)
    await store.hit('kept', 10)
  })

  test('owners of removed records', async () => {
    const store = createMemoryRecordStore({ now: () => start })
    const growth = await growthOfHeap(async () => {
      for (let index = 0; index < 50_000; index++) {
        await store.insert({ key: `k${index}`, owner: `o${index}`, expiresAt: start + 1, value: '' })
        await store.remove(`k${index}`)
      }
    })
    expect(growth).toBeLessThan(2_000_000)
    await store.get('kept')
  })

  test('removed records of an owner who keeps one', async () => {
    const store = createMemoryRecordStore({ now: () => start })
    await store.insert({ key: 'kept', owner: 'o', expiresAt: start + 1, value: '' })
    const growth = await growthOfHeap(async () => {
      for (let index = 0; index < 50_000; index++) {
        await store.insert({ key: `k${index}`, owner: 'o', expiresAt: start + 1, value: '' })
        await store.remove(`k${index}`)
      }
    })
    expect(growth).toBeLessThan(2_000_000)
    expect((await store.listByOwner('o')).items).toHaveLength(1)
  })

  test('topics without listeners', async () => {
    const readers = createBroadcastReaders({ unreadAtMost: 10 })
    const growth = await growthOfHeap(async () => {
      for (let index = 0; index < 50_000; index++) await readers.add(`topic ${index}`).return?.()
    })
    expect(growth).toBeLessThan(2_000_000)
    expect(readers.size).toBe(0)
  })

  test('owners of removed documents', async () => {
    const store = createMemoryDocumentStore()
    const growth = await growthOfHeap(async () => {
      for (let index = 0; index < 50_000; index++) {
        const document = { collection: 'factor-totp', id: `f${index}`, owner: `a${index}`, version: '1', value: '' }
        await store.insert(document)
        await store.remove(document)
      }
    })
    expect(growth).toBeLessThan(2_000_000)
    await store.get('factor-totp', 'kept')
  })
})

test.each([0, -1, Number.NaN])('a page of %d records is a TypeError', async (limit) => {
  await expect(createMemoryRecordStore().listByOwner('o', { limit })).rejects.toThrow('"limit" must be at least 1')
})

describe('a flood of counters', () => {
  const minute = 60_000

  test('opens no more windows than the limit', async () => {
    const counters = createMemoryCounterStore({ now: () => start, countersAtMost: 100 })
    for (let made = 0; made < 5_000; made++) await counters.hit(`flood ${made}`, minute)
    const counts = await Promise.all(
      Array.from({ length: 5_000 }, (_none, made) => counters.hit(`flood ${made}`, minute, 0)),
    )
    expect(counts.filter(({ count }) => count > 0)).toHaveLength(100)
  })

  test('clears no counter with more hits', async () => {
    const counters = createMemoryCounterStore({ now: () => start, countersAtMost: 100 })
    for (let hit = 0; hit < 5; hit++) await counters.hit('ada', minute)
    for (let made = 0; made < 5_000; made++) await counters.hit(`flood ${made}`, minute)
    expect(await counters.hit('ada', minute, 0)).toEqual({ count: 5, resetAt: start + minute })
  })

  test('costs about as much for each window when there is room for none as while there is', async () => {
    const counters = createMemoryCounterStore({ now: () => start, countersAtMost: 50_000 })
    let made = 0
    const open = (windows: number) => async () => {
      for (const end = made + windows; made < end; made++) await counters.hit(`flood ${made}`, minute)
    }
    await cpuMilliseconds(open(1000))
    const withRoom = await cpuMilliseconds(open(49_000))
    expect(await medianCpuMilliseconds(open(49_000))).toBeLessThan(8 * withRoom)
  })

  test('is kept by default to 100 000 windows', async () => {
    const counters = createMemoryCounterStore({ now: () => start })
    for (let made = 0; made <= 100_000; made++) await counters.hit(`flood ${made}`, minute)
    expect((await counters.hit('flood 0', minute, 0)).count).toBe(0)
    expect((await counters.hit('flood 1', minute, 0)).count).toBe(1)
  })

  test('may leave a single window open, the window of the last key', async () => {
    const counters = createMemoryCounterStore({ now: () => start, countersAtMost: 1 })
    for (const key of ['one', 'other']) await counters.hit(key, minute)
    const counts = await Promise.all(['one', 'other'].map((key) => counters.hit(key, minute, 0)))
    expect(counts.map(({ count }) => count)).toEqual([0, 1])
  })

  test.each([0, 1.5, -1, Number.NaN, '5'])('no store is created for %s counters', (countersAtMost) => {
    const create = () => createMemoryCounterStore({ countersAtMost: countersAtMost as number })
    expect(create).toThrow(new TypeError('"countersAtMost" must be a whole number of at least 1'))
  })
})
