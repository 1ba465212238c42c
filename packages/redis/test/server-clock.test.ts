import { createRedisStores } from '@latchkey/redis'
import { afterEach, beforeAll, beforeEach, describe, expect, test, vi } from 'vitest'
import { computeDigests } from './digests.ts'

beforeAll(computeDigests)

const hour = 3_600_000

/** A server whose clock differs from that of the process, and the way there and back. */
let ahead = 0
let wayMs = 0
const client = {
  eval: async () => [],
  async evalsha() {
    vi.advanceTimersByTime(wayMs / 2)
    const stamp = String(Date.now() + ahead)
    vi.advanceTimersByTime(wayMs / 2)
    return ['done', stamp, null, null, null, null]
  },
}

const aheadNow = (now: number) => now - Date.now()

describe('the time of the stores', () => {
  // Time passes only where a test lets it, so that what is said of it holds to the millisecond.
  beforeEach(() => {
    vi.useFakeTimers({ toFake: ['Date', 'performance'] })
    ahead = 0
    wayMs = 0
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test.each([0, hour, -hour])('equals a server %i ms ahead, from the first answer on', async (skew) => {
    ahead = skew
    const { records } = createRedisStores({ client })
    expect(aheadNow(records.now())).toBe(0)
    await records.get('se_1')
    expect(aheadNow(records.now())).toBe(skew)
    vi.advanceTimersByTime(1234)
    expect(aheadNow(records.now())).toBe(skew)
    expect(Number.isInteger(records.now())).toBe(true)
  })

  test('never goes back for a quicker answer, and is right again soon', async () => {
    wayMs = 800
    const { records } = createRedisStores({ client })
    await records.get('se_1')
    const first = records.now()
    wayMs = 0
    await records.get('se_1')
    expect(records.now()).toBeGreaterThanOrEqual(first)
    vi.advanceTimersByTime(800)
    expect(aheadNow(records.now())).toBe(0)
  })

  test('is not moved by a slow answer after a quick one, and not behind the server after a slow one alone', async () => {
    const quick = createRedisStores({ client }).records
    await quick.get('se_1')
    wayMs = 800
    await quick.get('se_1')
    expect(aheadNow(quick.now())).toBe(0)
    const slow = createRedisStores({ client }).records
    await slow.get('se_1')
    expect(aheadNow(slow.now())).toBeGreaterThanOrEqual(0)
    expect(aheadNow(slow.now())).toBeLessThanOrEqual(800)
  })

  test('goes back if the clock of the server was set back by more than a second', async () => {
    const { records } = createRedisStores({ client })
    await records.get('se_1')
    expect(aheadNow(records.now())).toBe(0)
    ahead = -hour
    await records.get('se_1')
    expect(aheadNow(records.now())).toBe(-hour)
    vi.advanceTimersByTime(5)
    expect(aheadNow(records.now())).toBe(-hour)
  })

  test('stays if the clock of the server was set back by a second', async () => {
    const { records } = createRedisStores({ client })
    await records.get('se_1')
    const before = records.now()
    ahead = -1000
    await records.get('se_1')
    expect(records.now()).toBe(before)
    vi.advanceTimersByTime(1001)
    expect(aheadNow(records.now())).toBe(-1000)
  })

  test('has whole milliseconds if its clock was given', () => {
    const { records } = createRedisStores({ client, now: () => 1234.9 })
    expect(records.now()).toBe(1234)
  })
})
