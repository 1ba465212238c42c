import { spawn } from 'node:child_process'
import { availableParallelism } from 'node:os'
import { setTimeout } from 'node:timers/promises'
import { expectWithin, medianCpuMilliseconds, startStopwatch } from '@latchkey/test-services'
import { describe, expect, onTestFinished, test, vi } from 'vitest'

describe('expectWithin with a promise of 300 ms', () => {
  test.each([
    ['the bound itself', 300, true],
    ['one millisecond more', 301, false],
    ['a median of three below it', [290, 2_000, 10], true],
    ['a median of three above it', [301, 10, 2_000], false],
    ['the greater one of two', [10, 301], false],
    ['no measurement', [], false],
  ])('%s', (_what, measured, isKept) => {
    const judge = () => expectWithin(300, 'an answer after', measured)
    if (isKept) judge()
    else expect(judge).toThrow()
  })

  test.each(['1', '3'])('fails for 301 ms in tier %s', (tier) => {
    vi.stubEnv('TEST_TIER', tier)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(() => expectWithin(300, 'an answer after', 301)).toThrow('an answer after')
  })
})

describe('a stopwatch', () => {
  test('counts the time in which this thread waits, and the time in which it computes', async () => {
    const elapsed = startStopwatch(50)
    await setTimeout(50)
    expect(elapsed()).toBeGreaterThan(45)
    compute(50)
    expect(elapsed()).toBeGreaterThan(90)
  })

  test('counts computing that keeps the deadline waiting', async () => {
    const elapsed = startStopwatch(20)
    compute(150)
    await setTimeout(0)
    expect(elapsed()).toBeGreaterThan(140)
  })

  test('shows the wall-clock time before its deadline', async () => {
    const [start, elapsed] = [performance.now(), startStopwatch(10_000)]
    await setTimeout(20)
    expect(elapsed()).toBeGreaterThan(19)
    expect(elapsed()).toBeLessThanOrEqual(performance.now() - start)
  })

  test.runIf(process.platform === 'linux')('does not count the time of other programs after its deadline', async () => {
    const busy = Array.from({ length: availableParallelism() * 2 }, () => spawnBusy())
    onTestFinished(() => {
      for (const child of busy) child.kill('SIGKILL')
    })
    await setTimeout(200)
    const measure = async () => {
      const [start, elapsed] = [performance.now(), startStopwatch(20)]
      await setTimeout(20)
      compute(100)
      const [wall, counted] = [performance.now() - start, elapsed()]
      return { wall, counted, isRight: wall > 150 && counted > 110 && counted < 120 + (wall - 120) / 4 }
    }
    const measured = [await measure(), await measure(), await measure()]
    // How a machine divides its time is its own affair: of three measurements two have to show it.
    expect(measured.filter(({ isRight }) => isRight).length, JSON.stringify(measured)).toBeGreaterThanOrEqual(2)
  })
})

test('the cost of work is the median of three runs', async () => {
  const runs: number[] = []
  const cost = await medianCpuMilliseconds(() => {
    runs.push(runs.length)
    if (runs.length === 2) compute(200)
  })
  expect(runs).toHaveLength(3)
  expect(cost).toBeLessThan(50)
})

/** Keeps this thread computing for so many milliseconds of its own. */
function compute(milliseconds: number): void {
  const before = process.threadCpuUsage()
  for (let used = 0; used < milliseconds * 1000; ) {
    const { user, system } = process.threadCpuUsage(before)
    used = user + system
  }
}

function spawnBusy() {
  return spawn(process.execPath, ['-e', 'for (;;);'], { stdio: 'ignore' })
}
