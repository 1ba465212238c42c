import { spawnSync } from 'node:child_process'
import { abortAfter, after, afterTurn, atDeadline, every, pause, wallClock, within } from '@latchkey/core/internal'
import { afterEach, beforeEach, describe, expect, test, vi } from 'vitest'

describe('by the timers of the platform at the time of the call', () => {
  beforeEach(() => {
    vi.useFakeTimers({ now: 1_800_000_000_000 })
  })
  afterEach(() => {
    vi.useRealTimers()
  })

  test('the wall clock follows `Date`', () => {
    expect(wallClock()).toBe(1_800_000_000_000)
    vi.setSystemTime(1_900_000_000_000)
    expect(wallClock()).toBe(1_900_000_000_000)
  })

  test('work is called once, when its time has passed', () => {
    const work = vi.fn()
    after(100, work)
    vi.advanceTimersByTime(99)
    expect(work).not.toHaveBeenCalled()
    vi.advanceTimersByTime(1000)
    expect(work).toHaveBeenCalledOnce()
  })

  test('repeated work is called at every interval, the first time after one', () => {
    const work = vi.fn()
    every(100, work)
    expect(work).not.toHaveBeenCalled()
    vi.advanceTimersByTime(350)
    expect(work).toHaveBeenCalledTimes(3)
  })

  test.each([
    ['after', after],
    ['every', every],
    ['atDeadline', atDeadline],
  ])('the work of %s is not called after stop, and stop may be called twice', (_name, start) => {
    const work = vi.fn()
    const timer = start(100, work)
    timer.stop()
    timer.stop()
    vi.advanceTimersByTime(1000)
    expect(work).not.toHaveBeenCalled()
    expect(vi.getTimerCount()).toBe(0)
  })

  test('a deadline leaves one more turn to an answer that has arrived', () => {
    const work = vi.fn()
    const answered = atDeadline(100, work)
    after(100, answered.stop)
    const silent = vi.fn()
    atDeadline(100, silent)
    vi.advanceTimersByTime(101)
    expect(work).not.toHaveBeenCalled()
    expect(silent).toHaveBeenCalledOnce()
  })

  test('a pause resolves when its time has passed, and not before', async () => {
    const rest = vi.fn()
    const paused = pause(100).then(rest)
    await vi.advanceTimersByTimeAsync(99)
    expect(rest).not.toHaveBeenCalled()
    await vi.advanceTimersByTimeAsync(1)
    await paused
    expect(rest).toHaveBeenCalledOnce()
  })

  test('`within` settles with the result of work that settles in time, and leaves no timer', async () => {
    const late = () => new Error('late')
    await expect(within(100, Promise.resolve(1), late)).resolves.toBe(1)
    await expect(within(100, Promise.reject(new Error('failed')), late)).rejects.toThrow('failed')
    expect(vi.getTimerCount()).toBe(0)
  })

  test('`within` rejects as late if the work does not settle in time, and drops a later rejection', async () => {
    const { promise, reject } = Promise.withResolvers<never>()
    const judged = expect(within(100, promise, () => new Error('late'))).rejects.toThrow('late')
    await vi.advanceTimersByTimeAsync(100)
    await judged
    reject(new Error('dropped'))
  })

  test('a signal is aborted after its time, with the reason that AbortSignal.timeout has', async () => {
    const signal = abortAfter(100)
    await vi.advanceTimersByTimeAsync(99)
    expect(signal.aborted).toBe(false)
    await vi.advanceTimersByTimeAsync(1)
    expect(signal.aborted).toBe(true)
    expect(signal.reason).toBeInstanceOf(DOMException)
    expect(signal.reason.name).toBe('TimeoutError')
  })
})

test('a deadline is never over before its time, of which timers drop fractions', async () => {
  const early = await Promise.all(
    Array.from({ length: 300 }, async (_, index) => {
      await pause(index % 40)
      const milliseconds = 20 + (index % 97) / 100
      const endsAt = performance.now() + milliseconds
      await new Promise<void>((resolve) => void atDeadline(milliseconds, resolve))
      return endsAt - performance.now()
    }),
  )
  expect(early.filter((left) => left > 0)).toEqual([])
})

describe('a process', () => {
  const outputOf = (code: string): string => {
    const program = `import { abortAfter, after, afterTurn, atDeadline, every } from '@latchkey/core/internal'; ${code}`
    const flags = ['--conditions=@latchkey/source', '--input-type=module', '-e']
    const { stdout, status, stderr } = spawnSync(process.execPath, [...flags, program], {
      cwd: import.meta.dirname,
      encoding: 'utf8',
      timeout: 60_000,
    })
    expect({ status, stderr }).toEqual({ status: 0, stderr: '' })
    return stdout
  }

  test('waits for the work of `after` and `atDeadline`', () => {
    expect(outputOf("after(5, () => console.log('after')); atDeadline(20, () => console.log('deadline'))")).toBe(
      'after\ndeadline\n',
    )
  })

  test.each([
    "every(30_000, () => console.log('called'))",
    "after(30_000, () => console.log('called')).unref()",
    "atDeadline(30_000, () => console.log('called')).unref()",
    "abortAfter(30_000).addEventListener('abort', () => console.log('called'))",
  ])('does not wait for %s', (code) => {
    expect(outputOf(code)).toBe('')
  })
})

test.each([
  ['of the platform', undefined],
  ['without it, by a timer', null],
])('afterTurn calls its work once, after what is ready in this turn: %s', async (_how, lacking) => {
  if (lacking === null) vi.stubGlobal('setImmediate', undefined)
  const order: string[] = []
  const done = new Promise<void>((resolve) =>
    afterTurn(() => {
      order.push('work')
      resolve()
    }),
  )
  queueMicrotask(() => order.push('microtask'))
  process.nextTick(() => order.push('tick'))
  vi.unstubAllGlobals()
  await done
  await pause(5)
  expect(order.toSorted()).toEqual(['microtask', 'tick', 'work'])
  expect(order.at(-1)).toBe('work')
})
