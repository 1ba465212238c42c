import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { createTickBatcher } from '@latchkey/core/internal'
import { beforeEach, expect, test } from 'vitest'

let time = 0
beforeEach(() => {
  time = 1_000
})
const now = (): number => {
  time += 0.001
  return time
}

test('a single caller continues at once, and later callers of the same turn continue together at its end, in order', async () => {
  const join = createTickBatcher(now)
  expect(join()).toBe(null)
  const gone: number[] = []
  for (const one of [1, 2, 3]) {
    time += 0.9
    void join()?.then(() => gone.push(one))
  }
  await Promise.resolve()
  expect(gone).toEqual([])
  await turnOfLoop()
  expect(gone).toEqual([1, 2, 3])
})

test('callers of one turn share one promise, and callers of the next turn share a new promise', async () => {
  const join = createTickBatcher(now)
  const [first, second, third] = [join(), join(), join()]
  expect([first, second]).toEqual([null, third])
  expect(second).toBe(third)
  await second
  const fourth = join()
  expect(fourth).toBeInstanceOf(Promise)
  expect(fourth).not.toBe(second)
  await fourth
})

test('a caller a millisecond after the previous caller continues at once', async () => {
  const join = createTickBatcher(now)
  join()
  await join()
  time += 1
  expect(join()).toBe(null)
})

test('a caller joins a waiting batch, however long the turn lasts', () => {
  const join = createTickBatcher(now)
  join()
  const waiting = join()
  time += 50
  expect(join()).toBe(waiting)
})

test('thirty-two go on together, and then the next thirty-two', async () => {
  const join = createTickBatcher(now)
  join()
  const steps: string[] = []
  const work = async (one: number): Promise<void> => {
    await join()
    steps.push(`${one} begins`)
    await null
    steps.push(`${one} goes on`)
  }
  const ones = Array.from({ length: 70 }, (_one, index) => index)
  await Promise.all(ones.map(work))
  const groups = [ones.slice(0, 32), ones.slice(32, 64), ones.slice(64)]
  const stepsOf = (group: readonly number[]): string[] => [
    ...group.map((one) => `${one} begins`),
    ...group.map((one) => `${one} goes on`),
  ]
  expect(steps).toEqual(groups.flatMap(stepsOf))
})

test('each caller continues at once if the clock stands still', () => {
  const join = createTickBatcher(() => 1_000)
  for (let one = 0; one < 5; one++) expect(join()).toBe(null)
})

test('the default clock is the clock of the platform', () => {
  const join = createTickBatcher()
  expect(join()).toBe(null)
  const until = performance.now() + 2
  while (performance.now() < until);
  expect(join()).toBe(null)
})

test('two batchers form separate batches', () => {
  expect([createTickBatcher(now)(), createTickBatcher(now)()]).toEqual([null, null])
})
