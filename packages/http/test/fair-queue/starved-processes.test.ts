import { setImmediate as turnOfLoop } from 'node:timers/promises'
import type { HttpRequest } from '@latchkey/http'
import { createFairQueue, type FairQueueOptions } from '@latchkey/http/fair-queue'
import { beforeEach, describe, expect, test } from 'vitest'

const honest = '192.0.2.1'
const other = '192.0.2.2'

let time = 0
let computedMs = 0
let diskAccesses = 0
beforeEach(() => {
  time = 1_000_000
  computedMs = 500
  diskAccesses = 7
})

type Turns = ReturnType<typeof createFairQueue>
const now = () => time
type ThreadUsage = ReturnType<NonNullable<FairQueueOptions['usage']>>

const start = (usage?: () => ThreadUsage) => createFairQueue({ now, ...(usage && { usage }) })
const exact = (): ThreadUsage => ({ computedMs, diskAccesses })
/** A system that counts ten milliseconds at a time. */
const coarse = (): ThreadUsage => ({ computedMs: computedMs - (computedMs % 10), diskAccesses })

function request(peerAddress: string): HttpRequest {
  const { signal } = new AbortController()
  return {
    method: 'GET',
    target: '/',
    headers: new Map(),
    cookies: new Map(),
    peerAddress,
    signal,
    body: async () => '',
  }
}

interface Work {
  readonly computes: number
  /** Meanwhile the thread waits. */
  readonly waits?: number
  readonly diskAccesses?: number
}

function work(done: Work): void {
  time += done.computes + (done.waits ?? 0)
  computedMs += done.computes
  diskAccesses += done.diskAccesses ?? 0
}

/** Sends requests in turn with another address, one each 100 ms, and returns whether the next one waits. */
async function isLimitedBy(turns: Turns, done: Work): Promise<boolean> {
  for (let sent = 0; sent < 40; sent++) {
    turns.enter(request(other))
    await turnOfLoop()
    void turns.enter(request(honest))
    work(done)
    await turnOfLoop()
    time += Math.max(1, 100 - done.computes - (done.waits ?? 0))
  }
  turns.enter(request(other))
  return turns.enter(request(honest)) instanceof Promise
}

describe('a request during which the thread waits for a processor', () => {
  const starved: Work = { computes: 3, waits: 80 }

  test('counts for as long as the thread has computed, so that its address is not limited', async () => {
    expect(await isLimitedBy(start(exact), starved)).toBe(false)
  })

  test('counts by the clock if the usage of the thread is unknown', async () => {
    expect(await isLimitedBy(start(), starved)).toBe(true)
  })

  test('counts at most ten milliseconds more if the system counts in steps of ten', async () => {
    expect(await isLimitedBy(start(coarse), starved)).toBe(false)
  })
})

describe('a request that holds the event loop itself', () => {
  test('counts in full if it computes', async () => {
    expect(await isLimitedBy(start(exact), { computes: 83 })).toBe(true)
  })

  test('counts in full if it computes for less than a step of the system', async () => {
    const turns = start(coarse)
    turns.enter(request(other))
    for (let sent = 0; sent < 400; sent++) {
      void turns.enter(request(honest))
      work({ computes: 3 })
      await turnOfLoop()
      time += 3
    }
    turns.enter(request(other))
    expect(turns.enter(request(honest))).toBeInstanceOf(Promise)
  })

  test('counts in full if it waits for a disk, as for the end of a transaction of SQLite', async () => {
    expect(await isLimitedBy(start(exact), { computes: 3, waits: 80, diskAccesses: 16 })).toBe(true)
  })

  test('counts no work of others that the thread has done since it was last asked', async () => {
    const turns = start(exact)
    for (let sent = 0; sent < 40; sent++) {
      turns.enter(request(other))
      await turnOfLoop()
      // What no request has done: a timer, a collection of garbage.
      work({ computes: 40 })
      void turns.enter(request(honest))
      work({ computes: 3, waits: 80 })
      await turnOfLoop()
      time += 5
    }
    turns.enter(request(other))
    expect(turns.enter(request(honest))).toMatchObject({ ok: true })
  })
})

test('the usage of the thread is read at most once in a millisecond, with any number of requests', async () => {
  let asked = 0
  const turns = start(() => {
    asked++
    return exact()
  })
  const before = asked
  for (let sent = 0; sent < 500; sent++) {
    void turns.enter(request(honest))
    work({ computes: 0.02 })
    await turnOfLoop()
  }
  expect(asked - before).toBeLessThanOrEqual(11)
})
