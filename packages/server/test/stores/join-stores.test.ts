import { createMemoryAccountStore } from '@latchkey/accounts'
import { joinStores, type ServerStores } from '@latchkey/server'
import { createMemoryCounterStore, createMemoryRecordStore } from '@latchkey/store'
import { expect, test, vi } from 'vitest'

const durable = () => ({
  records: createMemoryRecordStore(),
  accounts: createMemoryAccountStore(),
  counters: createMemoryCounterStore(),
})

test('joinStores takes each contract of the second stores, and of the first what the second do not have', () => {
  const first = { ...durable(), lockouts: createMemoryCounterStore() }
  const second = { records: createMemoryRecordStore(), counters: createMemoryCounterStore() }
  const { records, accounts, counters, lockouts } = joinStores(first, second)
  expect([records, accounts, counters, lockouts]).toEqual([
    second.records,
    first.accounts,
    second.counters,
    first.lockouts,
  ])
  expect(records).toBe(second.records)
  expect(lockouts).toBe(first.lockouts)
})

test('joinStores keeps the stores and functions that a class defines', async () => {
  const closed = vi.fn()
  class Stores {
    get records() {
      return records
    }
    async close() {
      closed()
    }
  }
  const records = createMemoryRecordStore()
  const joined = joinStores(durable(), new Stores())
  expect(joined.records).toBe(records)
  await joined.close?.()
  expect(closed).toHaveBeenCalledOnce()
})

test('joinStores migrates the first stores before the second, and closes them in the reverse order', async () => {
  const calls: string[] = []
  const recorder = (name: string) => ({
    migrate: async () => void calls.push(`migrate ${name}`),
    close: async () => void calls.push(`close ${name}`),
  })
  const joined = joinStores({ ...durable(), ...recorder('first') }, recorder('second'))
  await joined.migrate?.()
  await joined.close?.()
  expect(calls).toEqual(['migrate first', 'migrate second', 'close second', 'close first'])
})

test('joinStores closes the first stores also if closing the second fails, and rejects with that failure', async () => {
  const close = vi.fn(async () => {})
  const failure = new Error('cannot close')
  const joined = joinStores({ ...durable(), close }, { close: () => Promise.reject(failure) })
  await expect(joined.close?.()).rejects.toBe(failure)
  expect(close).toHaveBeenCalledOnce()
})

test.each(['first', 'second'] as const)('joinStores fails its check if the %s stores fail theirs', async (failing) => {
  const failure = new Error('away')
  const checkOf = (name: string) => ({ check: async () => (name === failing ? Promise.reject(failure) : undefined) })
  await expect(joinStores({ ...durable(), ...checkOf('first') }, checkOf('second')).check?.()).rejects.toBe(failure)
})

test.each([
  [true, true, true],
  [true, false, false],
  [false, true, false],
  [true, undefined, false],
])('joinStores of stores in memory (%s) and in memory (%s) are in memory: %s', async (first, second, expected) => {
  const inMemory = (value: boolean | undefined) =>
    value === undefined ? { check: async () => {} } : { isInMemory: () => value }
  expect(await joinStores({ ...durable(), ...inMemory(first) }, inMemory(second)).isInMemory?.()).toBe(expected)
})

test('joinStores has no function that neither of the stores has', () => {
  const joined = joinStores(durable(), { counters: createMemoryCounterStore() })
  expect(Object.keys(joined).toSorted()).toEqual(['accounts', 'counters', 'records'])
})

test.each(['first', 'second'])('joinStores throws a TypeError for a misspelt store among the %s', (place) => {
  const misspelt = { counter: createMemoryCounterStore() } as Partial<ServerStores>
  const join = () => (place === 'first' ? joinStores(misspelt, durable()) : joinStores(durable(), misspelt))
  expect(join).toThrow(new TypeError('joinStores: "counter" is no store of a service'))
})
