import { randomBytes } from '@latchkey/bytes'
import { createRefreshTokens, createSessions } from '@latchkey/sessions'
import { createMemoryRecordStore } from '@latchkey/store'
import { expect, test } from 'vitest'

const records = createMemoryRecordStore()
const secrets = [{ id: 'a', bytes: randomBytes(32) }] as const

test.each([
  ['"ttlSecond". Did you mean "ttlSeconds"?', { ttlSecond: 60 }],
  ['"idle". Did you mean "idleSeconds"?', { idle: 60 }],
  ['"touchInterval". Did you mean "touchIntervalSeconds"?', { touchInterval: 60 }],
  ['"onevent". Did you mean "onEvent"?', { onevent: () => {} }],
  ['"secrets", only "records", "now"', { secrets }],
])('no sessions are created with a misspelt option: %s', (message, wrong) => {
  const create = () => createSessions({ records, ...wrong } as never)
  expect(create).toThrow(TypeError)
  expect(create).toThrow(`createSessions has no option ${message}`)
})

test.each([
  ['"ttlSecond". Did you mean "ttlSeconds"?', { ttlSecond: 60 }],
  ['"familyTtl". Did you mean "familyTtlSeconds"?', { familyTtl: 60 }],
  ['"graceSecond". Did you mean "graceSeconds"?', { graceSecond: 0 }],
  ['"secret". Did you mean "secrets"?', { secret: secrets }],
  ['"idleSeconds"', { idleSeconds: 60 }],
])('no refresh tokens are created with a misspelt option: %s', (message, wrong) => {
  const create = () => createRefreshTokens({ records, secrets, ...wrong } as never)
  expect(create).toThrow(TypeError)
  expect(create).toThrow(`createRefreshTokens has no option ${message}`)
})

test('a factory that is called without options names the options that it takes', () => {
  expect(() => createSessions(undefined as never)).toThrow(
    'createSessions takes an object with "records", "now", "ttlSeconds", "idleSeconds", "touchIntervalSeconds", "storedVersion", "onEvent"',
  )
  expect(() => createRefreshTokens(undefined as never)).toThrow(
    'createRefreshTokens takes an object with "records", "secrets", "now"',
  )
})

test('a whole set of stores is accepted in the options', () => {
  const stores = {
    records,
    counters: {},
    accounts: {},
    documents: {},
    migrate: () => {},
    check: () => {},
    close: () => {},
  }
  expect(() => createSessions(stores)).not.toThrow()
  expect(() => createRefreshTokens({ ...stores, secrets })).not.toThrow()
})
