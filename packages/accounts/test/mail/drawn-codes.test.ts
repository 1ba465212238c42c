import { afterEach, expect, test, vi } from 'vitest'
import { createBench } from '../bench.ts'
import { askForCode, byCode } from '../sign-in/mailed-codes.ts'

afterEach(() => {
  vi.restoreAllMocks()
})

/** The largest multiple of all codes that four bytes can count. */
const bound = 4_200_000_000

test.each([
  ['of the last multiple is as it is', [bound - 1], '99999999'],
  ['that would make some codes likelier than others is drawn again', [bound, 2 ** 32 - 1, bound, 7], '00000007'],
])('a number %s', async (_what, numbers, code) => {
  const bench = createBench({ options: byCode })
  await bench.insert()
  const { getRandomValues } = crypto
  let drawn = 0
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    if (!(array instanceof Uint8Array && array.length === 4))
      return getRandomValues.call(crypto, array as never) as never
    // The last one again and again: how long the mail waits is drawn, too.
    new DataView(array.buffer).setUint32(0, numbers[drawn++] ?? numbers.at(-1) ?? 0)
    return array
  })
  expect((await askForCode(bench)).code).toBe(code)
})
