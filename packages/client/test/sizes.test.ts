import { expect, test } from 'vitest'
import { readSizes } from '../bench/sizes.ts'

test('each entry, and the entries that pages load together, are within their budgets of bytes', async () => {
  const sizes = await readSizes()
  expect(sizes).toHaveLength(5)
  expect(sizes.filter(({ bytes, budget }) => !(bytes > 0 && bytes <= budget))).toEqual([])
})
