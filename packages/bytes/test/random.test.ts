import { equalBytes, randomBytes, randomToken } from '@latchkey/bytes'
import { expect, test } from 'vitest'

test('a random token has 32 bytes in 43 URL-safe characters and never repeats', () => {
  const tokens = Array.from({ length: 1000 }, () => randomToken())
  expect(new Set(tokens).size).toBe(1000)
  for (const token of tokens) expect(token).toMatch(/^[\w-]{43}$/)
})

test.each([0, -1, 1.5, Number.NaN, 65_537])('%d random bytes are refused', (length) => {
  expect(() => randomBytes(length)).toThrow(TypeError)
})

test('a token of less than 16 bytes is refused', () => {
  expect(() => randomToken(15)).toThrow(TypeError)
})

test('bytes are equal only when all of them are', () => {
  const bytes = randomBytes(32)
  expect(equalBytes(bytes, bytes.slice())).toBe(true)
  for (const index of [0, 15, 31]) {
    const other = bytes.slice()
    other[index] = (other[index] ?? 0) ^ 1
    expect(equalBytes(bytes, other)).toBe(false)
  }
  expect(equalBytes(bytes, bytes.slice(1))).toBe(false)
  expect(equalBytes(new Uint8Array(), new Uint8Array())).toBe(true)
})
