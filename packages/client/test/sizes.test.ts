import { expect, test } from 'vitest'
import { readSizes } from '../bench/sizes.ts'

test('./subscriptions is within its budget of bytes', async () => {
  const size = (await readSizes()).find(({ entries }) => entries.join() === 'subscriptions')
  expect(size?.bytes).toBeLessThanOrEqual(size?.budget ?? 0)
})
