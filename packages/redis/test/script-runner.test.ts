import { EventEmitter } from 'node:events'
import { createRedisStores } from '@latchkey/redis'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { computeDigests } from './digests.ts'

beforeAll(computeDigests)

/** A client whose server has a clock of its own, which it checks like the scripts. */
let ahead = 0
let late = 0
let notAfter = 0
const client = {
  eval: async () => [],
  async evalsha(_sha1: string, _count: number, _key: string, limit = '') {
    const at = Date.now() + ahead
    notAfter = Number(limit) - at
    if (at > Number(limit)) {
      late++
      return ['late', String(at)]
    }
    return ['done', String(at), null, null, null, null]
  },
}

beforeEach(() => {
  ahead = 0
  late = 0
})

describe.each([0, 3_600_000, -3_600_000])('a server whose clock is %i ms ahead', (skew) => {
  // Time stands still, so that what is said of it holds to the millisecond.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('is estimated after one reply, and refuses scripts whose caller has timed out', async () => {
    ahead = skew
    const { records } = createRedisStores({ client })
    expect(await records.get('se_1')).toBeNull()
    expect(late).toBe(1)
    await records.get('se_1')
    expect(late).toBe(1)
    expect(notAfter).toBe(250)
  })

  test('gets no script that it may run after the deadline, however long replies take', async () => {
    const slow = (...sent: Parameters<typeof client.evalsha>) => {
      vi.advanceTimersByTime(60)
      const answer = client.evalsha(...sent)
      vi.advanceTimersByTime(40)
      return answer
    }
    ahead = skew
    const { records } = createRedisStores({ client: { ...client, evalsha: slow } })
    await records.get('se_1')
    await records.get('se_1')
    // It has run 60 ms after it was sent, and its reply takes 40 ms: 150 ms are left of 250.
    expect(notAfter).toBe(150)
  })

  test.each([
    [0, 100],
    [50, 50],
    [100, 0],
  ])(
    'leaves scripts all their time after one quick reply, though the next takes %i + %i ms',
    async (thereMs, backMs) => {
      let tripMs = [0, 0]
      const travel = (...sent: Parameters<typeof client.evalsha>) => {
        vi.advanceTimersByTime(tripMs[0] ?? 0)
        const answer = client.evalsha(...sent)
        vi.advanceTimersByTime(tripMs[1] ?? 0)
        return answer
      }
      ahead = skew
      const { records } = createRedisStores({ client: { ...client, evalsha: travel } })
      await records.get('se_1')
      tripMs = [thereMs, backMs]
      await records.get('se_1')
      tripMs = [0, 0]
      await records.get('se_1')
      expect(notAfter).toBe(250)
    },
  )

  test('is known to the millisecond although the first reply took long', async () => {
    let tripMs = 3000
    const slowAtFirst = (...sent: Parameters<typeof client.evalsha>) => {
      vi.advanceTimersByTime(tripMs)
      tripMs = 0
      return client.evalsha(...sent)
    }
    ahead = skew
    const { records } = createRedisStores({ client: { ...client, evalsha: slowAtFirst } })
    // That was longer than the deadline.
    await expect(records.get('se_1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(records.now()).toBe(Date.now() + skew)
  })

  test('is followed if it is set in between', async () => {
    const { records } = createRedisStores({ client })
    await records.get('se_1')
    ahead = skew
    expect(await records.get('se_1')).toBeNull()
    await records.get('se_1')
    expect(notAfter).toBe(250)
  })
})

test('an answer in the socket counts, however long the event loop was blocked', async () => {
  let answer = (_reply: unknown) => {}
  const asked = Promise.withResolvers<void>()
  const evalsha = () =>
    new Promise<unknown>((resolve) => {
      answer = resolve
      asked.resolve()
    })
  const { records } = createRedisStores({ client: { ...client, evalsha }, deadlineMs: 300 })
  const reading = records.get('se_1')
  await asked.promise
  await new Promise((resolve) => setImmediate(() => setImmediate(resolve)))
  for (const end = performance.now() + 350; performance.now() < end; );
  // Timers come first now, and then the sockets, whose turn this stands for.
  setImmediate(() => answer(['done', String(Date.now()), null, null, null, null]))
  expect(await reading).toBeNull()
})

test.each([null, 'OK', {}])('an answer that no script returns is an outage: %j', async (reply) => {
  const { records } = createRedisStores({ client: { ...client, evalsha: async () => reply } })
  await expect(records.get('se_1')).rejects.toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
})

test('an error that the client throws at once is an outage', async () => {
  const evalsha = () => {
    throw new Error('not connected')
  }
  const { records } = createRedisStores({ client: { ...client, evalsha } })
  await expect(records.get('se_1')).rejects.toMatchObject({
    code: 'STORE_UNAVAILABLE',
    cause: { message: 'not connected' },
  })
})

test.each<[what: string, reason: unknown]>([
  ['an error', new Error('READONLY')],
  [
    'an error with the command',
    Object.assign(new Error('READONLY'), { command: { name: 'evalsha', args: ['secret'] } }),
  ],
  ['a text', 'READONLY'],
  ['nothing', null],
])('what the client rejects with is the cause of the outage, without the command: %s', async (_what, reason) => {
  const evalsha = async () => {
    throw reason
  }
  const { records } = createRedisStores({ client: { ...client, evalsha } })
  const error: unknown = await records.get('se_1').catch((caught: unknown) => caught)
  expect(error).toMatchObject({ name: 'StoreError', code: 'STORE_UNAVAILABLE' })
  expect((error as Error).cause).toBe(reason)
  if (reason instanceof Error) expect(reason).not.toHaveProperty('command')
})

test('an outage that the client did not report has no cause', async () => {
  const { records } = createRedisStores({ client: { ...client, evalsha: async () => null } })
  const error: unknown = await records.get('se_1').catch((caught: unknown) => caught)
  expect(error).toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(error).not.toHaveProperty('cause')
})

test.each(Array.from({ length: 20 }, (_none, turn) => turn))(
  'a change is not acknowledged by replicas of another connection: lost %i turns after it was sent',
  async (turns) => {
    const events = new EventEmitter()
    const lost = Promise.withResolvers<void>()
    const lose = async () => {
      for (let turn = 0; turn < turns; turn++) await null
      events.emit('close')
      lost.resolve()
    }
    const { records } = createRedisStores({
      client: {
        ...client,
        async evalsha() {
          lose()
          return ['done', String(Date.now()), '1']
        },
        async wait() {
          await lost.promise
          return 9
        },
        on: (event: string, listener: () => void) => events.on(event, listener),
        off: (event: string, listener: () => void) => events.off(event, listener),
      },
      waitReplicas: 1,
      deadlineMs: 10_000,
    })
    const record = { key: 'se_1', owner: null, expiresAt: Date.now() + 60_000, value: '' }
    await expect(records.insert(record)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  },
)

test.each([
  [0, false],
  [1, false],
  [2, true],
])('with two required replicas a change on %i is acknowledged: %s', async (replicas, isAcknowledged) => {
  const evalsha = async () => ['done', String(Date.now()), '1', ['se_1', '1']]
  const { records } = createRedisStores({ client: { ...client, evalsha, wait: async () => replicas }, waitReplicas: 2 })
  const record = { key: 'se_1', owner: null, expiresAt: Date.now() + 1000, value: '' }
  const current = { ...record, version: 1 }
  const changes = [records.insert(record), records.replace(current, record), records.remove('se_1')]
  const outcomes = await Promise.all(changes.map((change) => change.catch((error: { code: string }) => error.code)))
  expect(outcomes).toEqual(Array(3).fill(isAcknowledged || 'STORE_UNAVAILABLE'))
})

test('removeByOwner is not acknowledged without the replicas either', async () => {
  const page = ['se_1', '1']
  const evalsha = async (_sha1: string, _count: number, key: string) => {
    return ['done', String(Date.now()), key.includes('owner:') ? page : '1']
  }
  const { records } = createRedisStores({ client: { ...client, evalsha, wait: async () => 0 }, waitReplicas: 1 })
  await expect(records.removeByOwner('acc_1')).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
})
