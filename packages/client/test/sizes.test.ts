import { expect, test } from 'vitest'
import { readSizes } from '../bench/sizes.ts'

test('each entry, the entries that pages load together, and the printer of nodes are within their budgets of bytes', async () => {
  const sizes = await readSizes()
  expect(sizes).toHaveLength(6)
  expect(sizes.filter(({ bytes, budget }) => !(bytes > 0 && bytes <= budget))).toEqual([])
})
