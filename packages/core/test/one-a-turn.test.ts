import { setImmediate as turnOfLoop } from 'node:timers/promises'
import { createOneATurn } from '@latchkey/core/internal'
import { expect, test } from 'vitest'

test('the first caller in a turn of the event loop is admitted at once, and the others in a turn each, in order', async () => {
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

test('a caller is admitted at once again when the queue is empty', async () => {
  const place = createOneATurn()
  expect(place()).toBe(null)
  await place()
  await turnOfLoop()
  expect(place()).toBe(null)
  expect(place()).toBeInstanceOf(Promise)
})

test('two queues admit their callers independently', () => {
  expect([createOneATurn()(), createOneATurn()()]).toEqual([null, null])
})
