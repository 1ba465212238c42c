import type { Server } from '@latchkey/server'
import { type Listener, listen } from '@latchkey/server/node'
import { StoreError, type StoreErrorCode } from '@latchkey/store'
import { afterEach, describe, expect, onTestFinished, test, vi } from 'vitest'
import { createBench, createMemoryStores } from '../support/bench.ts'

const open: Listener[] = []
afterEach(async () => {
  await Promise.all(open.splice(0).map((listener) => listener.close()))
})

const locked = (code: StoreErrorCode = 'STORE_UNAVAILABLE') => new StoreError(code, 'the database stayed locked')

/** A step that fails so many times, and how often it was taken. */
function failing(times: number, error: () => Error = locked) {
  const step = {
    calls: 0,
    async run() {
      if (++step.calls <= times) throw error()
    },
  }
  return step
}

/** Starts a service whose creation, migration and opening fail some times, and collects what it prints. */
async function start(steps: Partial<Record<'create' | 'migrate' | 'check', () => Promise<void>>>, startMs?: number) {
  const lines: string[] = []
  const { create = async () => {}, ...parts } = steps
  const source = async (): Promise<Server> => {
    await create()
    return createBench({ options: { stores: { ...createMemoryStores(), ...parts } } }).server
  }
  const printProgress = (line: string) => void lines.push(line)
  const options = { port: 0, closeOn: [], print: null, printProgress, migrate: true }
  const listener = await listen(source, { ...options, ...(startMs !== undefined && { startMs }) })
  open.push(listener)
  return { lines, listener }
}

function useFakeClock(): void {
  vi.useFakeTimers({ toFake: ['performance', 'setTimeout', 'clearTimeout', 'setInterval', 'clearInterval'] })
  onTestFinished(() => void vi.useRealTimers())
}

describe('a start whose stores do not answer yet', () => {
  test.each(['create', 'migrate', 'check'] as const)('waits for them: %s', async (name) => {
    const step = failing(3)
    const { lines, listener } = await start({ [name]: step.run })
    expect(step.calls).toBe(4)
    expect(lines).toEqual([
      expect.stringMatching(/^Waiting for the stores, for at most \d+ s: the database stayed locked$/),
    ])
    expect((await fetch(`http://127.0.0.1:${listener.port}/readyz`)).status).toBe(200)
  })

  test('prints each reason once', async () => {
    const reasons = ['locked', 'locked', 'full', 'full'].map((reason) => new StoreError('STORE_UNAVAILABLE', reason))
    const { lines } = await start({ migrate: failing(4, () => reasons.shift() ?? new Error('none left')).run })
    expect(lines.map((line) => line.split(': ')[1])).toEqual(['locked', 'full'])
  })

  test('fails with their error when it has waited for startMs', async () => {
    useFakeClock()
    const step = failing(Number.POSITIVE_INFINITY)
    let isOver = false
    const failed = expect(start({ migrate: step.run }, 300)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    void failed.finally(() => {
      isOver = true
    })
    for (let ms = 0; ms < 299; ms++) await vi.advanceTimersByTimeAsync(1)
    expect(step.calls).toBeGreaterThan(1)
    expect(isOver).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    await failed
  })

  test('waits by the clock and the timers of the platform, which a test may replace, ever longer up to 1.5 s', async () => {
    useFakeClock()
    const step = failing(Number.POSITIVE_INFINITY)
    const calledAt: number[] = []
    const startedAt = performance.now()
    const migrate = (): Promise<void> => {
      calledAt.push(performance.now() - startedAt)
      return step.run()
    }
    const judged = expect(start({ migrate }, 300_000)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    for (let second = 0; second < 301; second++) await vi.advanceTimersByTimeAsync(1000)
    await judged
    const pauses = calledAt.slice(1).map((at, index) => at - (calledAt[index] ?? 0))
    expect(Math.max(...pauses)).toBeLessThanOrEqual(1500)
    expect(calledAt.length).toBeGreaterThan(200)
    expect(calledAt.at(-1)).toBe(300_000)
  })

  test('fails at once with a startMs of 0', async () => {
    const step = failing(1)
    await expect(start({ migrate: step.run }, 0)).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
    expect(step.calls).toBe(1)
  })
})

test.each<[what: string, error: () => Error]>([
  ['tables that are missing', () => locked('STORE_NOT_MIGRATED')],
  ['tables of a newer release', () => locked('STORE_TOO_NEW')],
  ['a mistake', () => new TypeError('"baseUrl" must be an origin')],
])('a start does not wait for %s', async (_what, error) => {
  const step = failing(1, error)
  await expect(start({ create: step.run })).rejects.toThrow(error().message)
  expect(step.calls).toBe(1)
})

test('opened parts are closed once if the start fails in the end', async () => {
  let closes = 0
  const stores = {
    ...createMemoryStores(),
    check: () => Promise.reject(locked()),
    close: async () => void closes++,
  }
  const { server } = createBench({ options: { stores } })
  const starting = listen(server, { port: 0, closeOn: [], print: null, printProgress: null, startMs: 200 })
  await expect(starting).rejects.toMatchObject({ code: 'STORE_UNAVAILABLE' })
  expect(closes).toBe(1)
})

test('the reason of a failed start is thrown, also when the stores cannot be closed', async () => {
  for (const close of [() => new Promise<void>(() => {}), () => Promise.reject(new Error('not closed'))]) {
    const stores = { ...createMemoryStores(), check: () => Promise.reject(locked()), close }
    const { server } = createBench({ options: { stores } })
    const starting = listen(server, { port: 0, closeOn: [], startMs: 0, closeMs: 100 })
    await expect(starting).rejects.toThrow('the database stayed locked')
  }
})

test.each(['startMs', 'drainMs', 'closeMs'])('%s must be a number of milliseconds', async (name) => {
  for (const value of [-1, Number.NaN, Number.POSITIVE_INFINITY, 2 ** 31]) {
    const starting = listen(createBench().server, { port: 0, [name]: value })
    await expect(starting).rejects.toThrow(
      new TypeError(`"${name}" must be a number of milliseconds from 0 to 2147483647`),
    )
  }
})
