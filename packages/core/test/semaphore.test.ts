import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { createSemaphore } from '@latchkey/core/internal'
import { expect, test } from 'vitest'

test('a semaphore admits as many callers as it has places, and another caller for each leave, in order', async () => {
  const places = createSemaphore({ atOnce: 2, waiting: 10 })
  const entered: number[] = []
  for (const one of [1, 2, 3, 4]) void places.enter().then(() => entered.push(one))
  await turnOfLoop()
  expect(entered).toEqual([1, 2])
  expect(places.leave()).toBe(true)
  await turnOfLoop()
  expect(entered).toEqual([1, 2, 3])
  places.leave()
  await turnOfLoop()
  expect(entered).toEqual([1, 2, 3, 4])
})

test('an entry to a full queue is rejected, and the queue has room again after a leave', async () => {
  const places = createSemaphore({ atOnce: 1, waiting: 1 })
  expect(await places.enter()).toBe(true)
  const second = places.enter()
  expect(await places.enter()).toBe(false)
  places.leave()
  expect(await second).toBe(true)
  const third = places.enter()
  places.leave()
  expect(await third).toBe(true)
})

test('a place is free again after the last leave', async () => {
  const places = createSemaphore({ atOnce: 1, waiting: 0 })
  expect(await places.enter()).toBe(true)
  expect(places.leave()).toBe(false)
  expect(await places.enter()).toBe(true)
  expect(await places.enter()).toBe(false)
})
