import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { createOneATurn } from '@latchkey/core/internal'
import { expect, test } from 'vitest'

test('the first of a turn of the event loop has its place at once, and each other one in a turn of its own, in order', async () => {
  const place = createOneATurn()
  const begun: number[] = []
  expect(place()).toBe(null)
  for (const one of [1, 2, 3]) void place()?.then(() => begun.push(one))
  const seen: number[][] = []
  for (let turn = 0; turn < 4; turn++) {
    seen.push([...begun])
    await turnOfLoop()
  }
  expect(seen).toEqual([[], [1], [1, 2], [1, 2, 3]])
})

test('there is a place at once again when nothing waits', async () => {
  const place = createOneATurn()
  expect(place()).toBe(null)
  await place()
  await turnOfLoop()
  expect(place()).toBe(null)
  expect(place()).toBeInstanceOf(Promise)
})

test('two rows do not wait for each other', () => {
  expect([createOneATurn()(), createOneATurn()()]).toEqual([null, null])
})
