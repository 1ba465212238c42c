import { checkOptionNames, checkSecrets, randomBytes, requireOptions } from '@latchkey/bytes'
import { describe, expect, test } from 'vitest'

describe('the options of a factory', () => {
  const names = { ttlSeconds: true, now: true } as const
  const check = (options: unknown) =>
    checkOptionNames('createLinks', options as { ttlSeconds?: number; now?: 1 }, names)

  test('are given back when it has each of them', () => {
    const options = { ttlSeconds: 60 }
    expect(check(options)).toBe(options)
    expect(check({})).toEqual({})
  })

  test.each([
    ['createLinks has no option "ttl", only "ttlSeconds", "now"', { ttl: 60 }],
    ['createLinks has no option "TTLSeconds"', { TTLSeconds: 60 }],
    ['createLinks has no option "toString"', { toString: 1 }],
    ['createLinks has no option "__proto__"', JSON.parse('{"__proto__": 1}')],
    ['createLinks takes an object with "ttlSeconds", "now"', undefined],
    ['createLinks takes an object', null],
    ['createLinks takes an object', 'app.db'],
  ])('are refused with: %s', (message, options) => {
    expect(() => check(options)).toThrow(TypeError)
    expect(() => check(options)).toThrow(message)
  })
})

describe('options that are required', () => {
  const require = (options: unknown) =>
    requireOptions('createLinks', options as { secret: string; ttl?: 1 }, ['secret', 'ttl'])

  test('are given back when they are an object, whatever is in it', () => {
    for (const options of [{}, { secret: 'otter' }, { others: 1 }]) expect(require(options)).toBe(options)
  })

  test.each([undefined, null, 42, 'otter', Symbol('otter'), () => ({})])('are no %s', (options) => {
    expect(() => require(options)).toThrow(TypeError)
    expect(() => require(options)).toThrow('createLinks takes an object with "secret", "ttl"')
  })
})

test.each([
  ['"pepper" must be a list of at least one secret', 'a long text'],
  ['"pepper" must be a list of at least one secret', []],
  ['"pepper": each secret is { id, bytes }, and a text is none', ['a long text']],
  ['"pepper": an id has 1 to 32 characters', [{ bytes: randomBytes(32) }]],
  ['"pepper": the secret "a" must have at least 32 bytes, in a Uint8Array', [{ id: 'a', bytes: 'x'.repeat(32) }]],
])('secrets are refused by the name of their option: %s', (message, secrets) => {
  expect(() => checkSecrets(secrets as never, 'pepper')).toThrow(message)
})
