import { checkRecordStore, createMemoryRecordStore } from '@latchkey/store'
import { expect, test } from 'vitest'

const records = createMemoryRecordStore()
const { now: _now, ...withoutClock } = records
const { capabilities: _capabilities, ...withoutCapabilities } = records

test('a record store is returned as it is', () => {
  expect(checkRecordStore(records, 'records')).toBe(records)
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['an object without the methods of a store', { get: records.get }],
])('%s is no record store, which the error says by the name of the option', (_what, given) => {
  expect(() => checkRecordStore(given as never, 'sessions')).toThrow(new TypeError('"sessions" must be a record store'))
})

test.each([
  ['of another version of the contract', { ...records, capabilities: { ...records.capabilities, contract: 2 } }, '2'],
  ['of no version of the contract', withoutCapabilities, 'undefined'],
  ['without a clock of its own', withoutClock, '1'],
])('a store %s is refused, and the error names the version that it should implement', (_what, given, contract) => {
  expect(() => checkRecordStore(given as never, 'sessions')).toThrow(
    new TypeError(
      `"sessions" must implement version 1 of the store contract: its "capabilities.contract" is ${contract}`,
    ),
  )
})
