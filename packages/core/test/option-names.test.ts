import { checkOptionNames } from '@latchkey/core/internal'
import { describe, expect, test } from 'vitest'

describe('the options of a factory', () => {
  const names = { ttlSeconds: true, now: true } as const
  const check = (options: unknown) =>
    checkOptionNames('createLinks', options as { ttlSeconds?: number; now?: 1 }, names)

  test('are returned when it has each of them', () => {
    const options = { ttlSeconds: 60 }
    expect(check(options)).toBe(options)
    expect(check({})).toEqual({})
  })

  test.each([
    ['createLinks has no option "ttlSecond". Did you mean "ttlSeconds"?', { ttlSecond: 60 }],
    ['createLinks has no option "TTLSeconds". Did you mean "ttlSeconds"?', { TTLSeconds: 60 }],
    ['createLinks has no option "ttl". Did you mean "ttlSeconds"?', { ttl: 60 }],
    ['createLinks has no option "audience", only "ttlSeconds", "now"', { audience: 60 }],
    ['createLinks has no option "toString", only "ttlSeconds", "now"', { toString: 1 }],
    ['createLinks has no option "__proto__", only', JSON.parse('{"__proto__": 1}')],
    [`createLinks has no option "${'n'.repeat(100_000)}", only`, { ['n'.repeat(100_000)]: 1 }],
    ['createLinks has no option "records", only', { records: {} }],
    ['createLinks takes an object with "ttlSeconds", "now"', undefined],
    ['createLinks takes an object', null],
    ['createLinks takes an object', 'app.db'],
    ['createLinks takes an object', 42],
    ['createLinks takes an object', () => ({})],
  ])('are refused with: %.80s', (message, options) => {
    expect(() => check(options)).toThrow(TypeError)
    expect(() => check(options)).toThrow(message)
  })
})

test('the name of which only the beginning was written is suggested before one of similar letters', () => {
  const create = () => checkOptionNames('listen', { host: '::1' } as object, { port: true, hostname: true } as never)
  expect(create).toThrow('listen has no option "host". Did you mean "hostname"?')
})

describe('a factory that takes a store', () => {
  const stores = {
    records: {},
    counters: {},
    accounts: {},
    documents: {},
    check: () => {},
    migrate: () => {},
    migrationSql: () => '',
    close: () => {},
  }
  const create = (options: object) =>
    checkOptionNames('createSessions', options as { records: object }, { records: true, idleSeconds: true } as never)

  test('accepts a whole set of stores', () => {
    expect(create(stores)).toBe(stores)
    expect(() => create({ ...stores, idleSeconds: 60 })).not.toThrow()
  })

  test('still refuses a misspelt option, and a misspelt store', () => {
    expect(() => create({ ...stores, idleSecond: 60 })).toThrow('no option "idleSecond". Did you mean "idleSeconds"?')
    expect(() => create({ record: {} })).toThrow('no option "record". Did you mean "records"?')
  })
})
