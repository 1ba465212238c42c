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

test('one that comes alone goes on at once, and those soon after it go on together at the end of the turn, in order', async () => {
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

test('those of one turn have one promise, and those of the next turn another one', async () => {
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

test('one that comes a millisecond after the last one goes on at once', async () => {
  const join = createTickBatcher(now)
  join()
  await join()
  time += 1
  expect(join()).toBe(null)
})

test('what comes while others wait joins them, however long their turn lasts', () => {
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

test('by a clock that stands still each goes on at once', () => {
  const join = createTickBatcher(() => 1_000)
  for (let one = 0; one < 5; one++) expect(join()).toBe(null)
})

test('the clock is that of the platform where none is passed in', () => {
  const join = createTickBatcher()
  expect(join()).toBe(null)
  const until = performance.now() + 2
  while (performance.now() < until);
  expect(join()).toBe(null)
})

test('two batchers do not know each other', () => {
  expect([createTickBatcher(now)(), createTickBatcher(now)()]).toEqual([null, null])
})
