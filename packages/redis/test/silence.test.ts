import { EventEmitter } from 'node:events'
import { createRedisStores, type RedisStores } from '@latchkey/redis'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { computeDigests } from './digests.ts'

beforeAll(computeDigests)

/** What a caller hears, and when: a deadline ends one turn of the event loop later, which takes 1 ms here. */
const failedAfter = (milliseconds: number) => ({
  failedAfterMs: milliseconds,
  error: { name: 'StoreError', code: 'STORE_UNAVAILABLE' },
})

interface Asked {
  answer(): void
  fail(): void
}

// Time passes only where a test lets it, so that what is said of it holds to the millisecond.
beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'Date', 'performance'] })
})
afterEach(() => {
  vi.useRealTimers()
})

/** A client whose commands wait for what a test answers, and the instants at which its connection was dropped. */
function createSilentClient() {
  const start = performance.now()
  const events = new EventEmitter()
  const asked: Asked[] = []
  const drops: number[] = []
  const client = {
    stream: {
      destroy() {
        drops.push(performance.now() - start)
        events.emit('close')
      },
    },
    eval: async () => [],
    evalsha: () =>
      new Promise<unknown>((resolve, reject) => {
        asked.push({
          answer: () => resolve(['done', String(Date.now()), null, null, null, null]),
          fail: () => reject(new Error('broken')),
        })
      }),
    on: (event: string, listener: () => void) => events.on(event, listener),
    off: (event: string, listener: () => void) => events.off(event, listener),
  }
  return { client, events, asked, drops }
}

/** Starts a read. Returns what has become of it so far: `open`, its result, or when it failed and why. */
async function startReading({ records }: RedisStores): Promise<() => unknown> {
  const start = performance.now()
  let outcome: unknown = 'open'
  records.get('se_1').then(
    (found) => {
      outcome = found
    },
    (error: unknown) => {
      outcome = { failedAfterMs: performance.now() - start, error }
    },
  )
  await pass(0)
  return () => outcome
}

/** The digest of a script is computed outside of the event loop. */
async function pass(milliseconds: number): Promise<void> {
  for (let turn = 0; turn < 5; turn++) await new Promise((resolve) => setImmediate(resolve))
  await vi.advanceTimersByTimeAsync(milliseconds)
}

test('a connection that leaves a command unanswered is dropped after a second, and not before', async () => {
  const { client, drops } = createSilentClient()
  const outcome = await startReading(createRedisStores({ client }))
  await pass(250)
  expect(outcome()).toBe('open')
  await pass(1)
  expect(outcome()).toMatchObject(failedAfter(251))
  await pass(749)
  expect(drops).toEqual([])
  await pass(1)
  expect(drops).toEqual([1001])
  await pass(60_000)
  expect(drops).toEqual([1001])
  expect(vi.getTimerCount()).toBe(0)
})

test('the command that has waited longest counts, and all together are watched by one timer', async () => {
  const { client, drops } = createSilentClient()
  const stores = createRedisStores({ client })
  await startReading(stores)
  await pass(600)
  await startReading(stores)
  await pass(300)
  expect(vi.getTimerCount()).toBe(1)
  await pass(60_000)
  expect(drops).toEqual([1001])
  expect(vi.getTimerCount()).toBe(0)
})

test.each<[what: string, settle: 'answer' | 'fail']>([
  ['an answer', 'answer'],
  ['an error', 'fail'],
])('%s is a sign of life for all commands before it', async (_what, settle) => {
  const { client, asked, drops } = createSilentClient()
  const stores = createRedisStores({ client })
  await startReading(stores)
  await pass(500)
  await startReading(stores)
  await pass(100)
  asked[1]?.[settle]()
  await pass(60_000)
  expect(drops).toEqual([1601])
})

test('an answer that comes after its caller has given up keeps the connection, and the next silence is noticed', async () => {
  const { client, asked, drops } = createSilentClient()
  const stores = createRedisStores({ client })
  await startReading(stores)
  await pass(900)
  asked[0]?.answer()
  await pass(9100)
  expect(drops).toEqual([])
  expect(vi.getTimerCount()).toBe(0)
  await startReading(stores)
  await pass(60_000)
  expect(drops).toEqual([11_001])
})

test.each([
  ['says', true],
  ['does not say', false],
])(
  'each further silent connection is waited for twice as long, up to 5 s, until one answers, by a client that %s that it was dropped',
  async (_what, hasEvents) => {
    const { client, asked, drops } = createSilentClient()
    const { on: _on, off: _off, ...withoutEvents } = client
    const stores = createRedisStores({ client: hasEvents ? client : withoutEvents })
    for (let connection = 0; connection < 5; connection++) {
      await startReading(stores)
      await pass(10_000)
    }
    expect(drops).toEqual([1001, 12_001, 24_001, 35_001, 45_001])
    await startReading(stores)
    asked.at(-1)?.answer()
    await pass(10_000)
    await startReading(stores)
    await pass(10_000)
    expect(drops.slice(5)).toEqual([61_001])
  },
)

test('a patience above 5 s does not grow', async () => {
  const { client, drops } = createSilentClient()
  const stores = createRedisStores({ client, silenceMs: 6000 })
  for (let connection = 0; connection < 2; connection++) {
    await startReading(stores)
    await pass(10_000)
  }
  expect(drops).toEqual([6001, 16_001])
})

test('an answer on a dropped connection does not count for the next connection', async () => {
  const { client, asked, drops } = createSilentClient()
  const stores = createRedisStores({ client })
  await startReading(stores)
  await pass(2000)
  await startReading(stores)
  asked[0]?.answer()
  await pass(10_000)
  expect(drops).toEqual([1001, 4001])
})

test('a command on a lost connection does not count for the next connection', async () => {
  const { client, events, drops } = createSilentClient()
  const stores = createRedisStores({ client })
  await startReading(stores)
  await pass(500)
  events.emit('close')
  expect(vi.getTimerCount()).toBe(0)
  await pass(100)
  await startReading(stores)
  await pass(10_000)
  expect(drops).toEqual([1601])
})

test('a caller that waits when a connection is lost fails at once, and leaves no timer', async () => {
  const { client, events } = createSilentClient()
  const outcome = await startReading(createRedisStores({ client }))
  await pass(100)
  events.emit('close')
  await pass(0)
  expect(outcome()).toMatchObject(failedAfter(100))
  expect(vi.getTimerCount()).toBe(0)
})

test('a caller that waits when the stores are closed fails at once', async () => {
  const stores = createRedisStores({ client: createSilentClient().client })
  const outcome = await startReading(stores)
  await pass(100)
  await stores.close()
  await pass(0)
  expect(outcome()).toMatchObject(failedAfter(100))
  expect(vi.getTimerCount()).toBe(0)
})

test('closed stores drop no connection', async () => {
  const { client, drops } = createSilentClient()
  const stores = createRedisStores({ client })
  await startReading(stores)
  await pass(500)
  await stores.close()
  expect(vi.getTimerCount()).toBe(0)
  await pass(10_000)
  expect(drops).toEqual([])
})

test('a process may end while a connection is silent, but not while a caller waits', async () => {
  const handles: NodeJS.Timeout[] = []
  const faked = globalThis.setTimeout
  // A spy that is restored would leave the time of this file to the files after it.
  const seen = (work: () => void, ms: number) => handles[handles.push(faked(work, ms)) - 1]
  Object.assign(globalThis, { setTimeout: seen })
  const { client } = createSilentClient()
  await startReading(createRedisStores({ client }))
  const holds = () => handles.map((handle) => handle.hasRef())
  expect(holds()).toEqual([true])
  await pass(1001)
  // The deadline of the caller and its turn of the event loop, and then those of the connection.
  expect(holds()).toEqual([true, true, false, false])
  Object.assign(globalThis, { setTimeout: faked })
})

describe('a caller that waits when a connection is dropped fails at its own deadline, and not before', () => {
  test.each<[what: string, then: (asked: Asked | undefined) => void]>([
    ['though the client says that the connection was lost', () => {}],
    ['though an answer follows, which may be that of a second attempt', (asked) => asked?.answer()],
    ['though the command fails', (asked) => asked?.fail()],
  ])('%s', async (_what, then) => {
    const { client, asked, drops } = createSilentClient()
    const stores = createRedisStores({ client, deadlineMs: 300, silenceMs: 400 })
    await startReading(stores)
    await pass(200)
    const outcome = await startReading(stores)
    await pass(250)
    expect(drops).toEqual([401])
    then(asked[1])
    await pass(50)
    expect(outcome()).toBe('open')
    await pass(1)
    expect(outcome()).toMatchObject(failedAfter(301))
    expect(vi.getTimerCount()).toBe(0)
  })
})

test('a client of ioredis that has no socket yet is left alone', async () => {
  const { client, drops } = createSilentClient()
  const { stream: _socket, ...withoutSocket } = client
  const outcome = await startReading(createRedisStores({ client: withoutSocket }))
  await pass(10_000)
  expect(outcome()).toMatchObject(failedAfter(251))
  expect(drops).toEqual([])
})

describe('a silent client of node-redis', () => {
  function createNodeRedis(isReady: boolean) {
    const calls: string[] = []
    const never = () => new Promise<never>(() => {})
    const client = {
      isReady,
      eval: never,
      evalSha: never,
      destroy: () => calls.push('destroy'),
      connect: async () => {
        calls.push('connect')
        throw new Error('nothing listens there')
      },
    }
    return { client, calls }
  }

  const silence = async (client: Parameters<typeof createRedisStores>[0]['client']) => {
    const outcome = await startReading(createRedisStores({ client }))
    await pass(10_000)
    expect(outcome()).toMatchObject(failedAfter(251))
  }

  test('is destroyed and connected again, and a failure of that is left to its events', async () => {
    const { client, calls } = createNodeRedis(true)
    await silence(client)
    expect(calls).toEqual(['destroy', 'connect'])
  })

  test.each<[what: string, change: object, isReady: boolean]>([
    ['while it opens a connection by itself', {}, false],
    ['where it does not say that it is ready', { isReady: undefined }, true],
    ['where it cannot be destroyed', { destroy: undefined }, true],
    ['where it cannot connect', { connect: undefined }, true],
  ])('is left alone %s', async (_what, change, isReady) => {
    const { client, calls } = createNodeRedis(isReady)
    await silence({ ...client, ...change })
    expect(calls).toEqual([])
  })
})
