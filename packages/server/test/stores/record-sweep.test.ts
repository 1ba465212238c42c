import type { Server } from '@latchkey/server'
import { afterEach, beforeEach, expect, test, vi } from 'vitest'
import { createBench } from '../support/bench.ts'

beforeEach(() => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval'] })
})
afterEach(() => {
  vi.useRealTimers()
})

function serverWith(sweep: (limit: number) => Promise<number>): Server {
  const { stores } = createBench()
  const records = { ...stores.records, sweep }
  return createBench({ options: { stores: { ...stores, records } } }).server
}

test('expired records are swept while a service is open, in bounded steps, and no longer', async () => {
  const sweeps: number[] = []
  const server = serverWith(async (limit) => sweeps.push(limit))
  await server.open()
  expect(sweeps).toEqual([])
  await vi.advanceTimersByTimeAsync(60_000)
  expect(sweeps).toEqual([500])
  await vi.advanceTimersByTimeAsync(120_000)
  expect(sweeps).toHaveLength(3)
  await server.close()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(sweeps).toHaveLength(3)
})

test('steps run until no record is left, with other requests in between', async () => {
  const removed = [500, 500, 500, 20]
  const sweeps: number[] = []
  let turns = 0
  const server = serverWith(async () => {
    sweeps.push(turns)
    setImmediate(() => {
      turns += 1
    })
    return removed[sweeps.length - 1] ?? 0
  })
  await server.open()
  await vi.advanceTimersByTimeAsync(60_000)
  await expect.poll(() => sweeps.length).toBe(4)
  expect(sweeps).toEqual([0, 1, 2, 3])
  await server.close()
})

test('a store that always returns its limit is swept a thousand times, then at the next interval', async () => {
  vi.useFakeTimers({ toFake: ['setInterval', 'clearInterval', 'setTimeout', 'clearTimeout'] })
  let sweeps = 0
  const server = serverWith(async (limit) => {
    sweeps += 1
    return limit
  })
  await server.open()
  await vi.advanceTimersByTimeAsync(60_000)
  await vi.advanceTimersByTimeAsync(50_000)
  expect(sweeps).toBe(1000)
  await vi.advanceTimersByTimeAsync(50_000)
  expect(sweeps).toBe(2000)
  await server.close()
})

test('closing stops a sweep between two steps', async () => {
  let sweeps = 0
  const server = serverWith(async () => {
    sweeps += 1
    return 500
  })
  await server.open()
  await vi.advanceTimersByTimeAsync(60_000)
  await server.close()
  const before = sweeps
  await new Promise((resolve) => setTimeout(resolve, 100))
  expect(sweeps).toBe(before)
})

test('a failed sweep is retried at the next interval', async () => {
  let attempts = 0
  const server = serverWith(async () => {
    attempts += 1
    throw new Error('out of reach')
  })
  await server.open()
  await vi.advanceTimersByTimeAsync(120_000)
  expect(attempts).toBe(2)
  await server.close()
})
