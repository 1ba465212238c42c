import { randomFraction } from '@latchkey/bytes/internal'
import { afterEach, expect, test, vi } from 'vitest'

afterEach(() => {
  vi.restoreAllMocks()
})

test('a random fraction lies from 0 to below 1, over the whole range', () => {
  const drawn = Array.from({ length: 2000 }, () => randomFraction())
  expect(Math.min(...drawn)).toBeGreaterThanOrEqual(0)
  expect(Math.max(...drawn)).toBeLessThan(1)
  for (const tenth of [0, 1, 2, 3, 4, 5, 6, 7, 8, 9]) {
    expect(drawn.some((fraction) => Math.floor(fraction * 10) === tenth)).toBe(true)
  }
})

test.each([
  [0x00, 0],
  [0x80, 0.5019607843],
  [0xff, 0.9999999997],
])('bytes of %d are the fraction %d', (byte, fraction) => {
  vi.spyOn(crypto, 'getRandomValues').mockImplementation((array) => {
    if (array instanceof Uint8Array) array.fill(byte)
    return array
  })
  expect(randomFraction()).toBeCloseTo(fraction, 9)
})
