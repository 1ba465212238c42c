import { allowEventualCounters, createRateLimit } from '@latchkey/rate-limit'
import { createMemoryCounterStore } from '@latchkey/store'
import { expect, test } from 'vitest'
import { permitted, secrets } from './open-limit.ts'

const counters = createMemoryCounterStore()
const valid = { counters, secrets, name: 'sign-in', limit: 5, windowSeconds: 60 }
const eventual = { ...counters, capabilities: { ...counters.capabilities, consistency: 'eventual' as const } }

test.each([
  ['createRateLimit has no option "windowSecond". Did you mean "windowSeconds"?', { windowSecond: 5 }],
  ['"counters" must be a CounterStore', { counters: undefined }],
  ['"counters" must be a CounterStore', { counters: {} }],
  ['"counters" must be strong', { counters: eventual }],
  ['"counters" must be strong', { counters: eventual, [allowEventualCounters]: false }],
  ['"secrets" must be a list of at least one secret', { secrets: [] }],
  ['"name" must be of lower-case letters', { name: '' }],
  ['"name" must be of lower-case letters', { name: 'Sign in' }],
  ['"name" must be of lower-case letters', { name: 'a"b' }],
  ['"name" must be of lower-case letters', { name: 'a'.repeat(65) }],
  ['"name" must be of lower-case letters', { name: undefined }],
  ['"limit" must be a whole number of at least 1', { limit: 0 }],
  ['"limit" must be a whole number of at least 1', { limit: 1.5 }],
  ['"limit" must be a whole number of at least 1', { limit: '5' }],
  ['"windowSeconds" must be a whole number of seconds from 1 to 31536000', { windowSeconds: 0 }],
  ['"windowSeconds" must be a whole number of seconds', { windowSeconds: Number.NaN }],
  ['"windowSeconds" must be a whole number of seconds', { windowSeconds: 31_536_001 }],
  ['"longestSeconds" must be a whole number of seconds from 60', { longestSeconds: 59 }],
  ['"memorySeconds" must be a whole number of seconds from 1', { memorySeconds: 0 }],
])('no limit is created where %s', (message, wrong) => {
  const create = () => createRateLimit({ ...valid, ...wrong } as never)
  expect(create).toThrow(TypeError)
  expect(create).toThrow(message)
})

test('counters that may count too few are accepted by name', async () => {
  const limit = createRateLimit({ ...valid, counters: eventual, [allowEventualCounters]: true })
  permitted(await limit.take('ada'))
})

test('the policy of a limit cannot be changed', () => {
  const { policy } = createRateLimit(valid)
  expect(policy).toEqual({ name: 'sign-in', limit: 5, windowSeconds: 60 })
  expect(Object.isFrozen(policy)).toBe(true)
})
