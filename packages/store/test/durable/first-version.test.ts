import { firstVersion } from '@latchkey/store'
import { expect, test } from 'vitest'

test('a first version is one of 2 to the 48th, and leaves room for every change that follows', () => {
  const versions = Array.from({ length: 1000 }, firstVersion)
  for (const version of versions) {
    expect(Number.isInteger(version)).toBe(true)
    expect(version).toBeGreaterThanOrEqual(2 ** 48)
    expect(version).toBeLessThan(2 ** 49)
  }
  expect(new Set(versions).size).toBe(versions.length)
})
