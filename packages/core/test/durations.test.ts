import { startDuration } from '@latchkey/core/internal'
import { expect, test } from 'vitest'

test('a duration is exact to a thousandth of a millisecond, and never shrinks', () => {
  const elapsed = startDuration()
  let before = 0
  for (let round = 0; round < 100; round++) {
    const duration = elapsed()
    expect(duration).toBeGreaterThanOrEqual(before)
    expect(Math.round(duration * 1000) / 1000).toBe(duration)
    before = duration
  }
})
