import {
  createMemoryAuditStore,
  createMemoryCounterStore,
  createMemoryDocumentStore,
  createMemoryRecordStore,
} from '@latchkey/store'
import { checkStores } from '@latchkey/store/internal'
import { expect, test } from 'vitest'

/** Those of `@latchkey/accounts`, which depends on this package. */
const accounts = Object.fromEntries(
  ['insert', 'get', 'getByEmail', 'replace', 'remove', 'list'].map((method) => [method, async () => null]),
)
const stores = {
  records: createMemoryRecordStore(),
  documents: createMemoryDocumentStore(),
  counters: createMemoryCounterStore(),
  lockouts: createMemoryCounterStore(),
  accounts,
  audit: createMemoryAuditStore(),
}
const names = Object.keys(stores) as (keyof typeof stores)[]

function without(name: keyof typeof stores, method: string): object {
  return { ...stores, [name]: { ...stores[name], [method]: undefined } }
}

test('stores of this version with every method are accepted, and every store is optional', () => {
  expect(() => checkStores(stores)).not.toThrow()
  expect(() => checkStores({})).not.toThrow()
})

test.each([
  ['nothing', undefined],
  ['null', null],
  ['an object without the methods of a store', { get: stores.records.get }],
])('%s in place of a store is rejected by the name of its option', (_what, given) => {
  for (const name of given === undefined ? (['records'] as const) : names) {
    expect(() => checkStores({ [name]: given as never }, 'stores.')).toThrow(
      new RegExp(
        `^"stores\\.${name}" must be (a record store|a document store|a CounterStore|an AccountStore|an AuditStore)$`,
      ),
    )
  }
})

test.each([2, '1', undefined])('a store of version %s is rejected, and the error names both versions', (contract) => {
  for (const name of names) {
    const older = {
      ...stores[name],
      capabilities: { ...(stores[name] as typeof stores.records).capabilities, contract },
    }
    expect(() => checkStores({ ...stores, [name]: older } as never)).toThrow(
      `"${name}" must implement version 1 of the store contract: its "capabilities.contract" is ${contract}`,
    )
  }
  expect(() => checkStores({ counters: { ...stores.counters, capabilities: undefined } } as never)).toThrow(
    'its "capabilities.contract" is undefined',
  )
})

test.each([
  ['records', 'now'],
  ['records', 'touch'],
  ['documents', 'removeByOwner'],
  ['counters', 'reset'],
  ['lockouts', 'reset'],
  ['accounts', 'list'],
  ['audit', 'prune'],
] as const)('"%s" without the method "%s" are rejected, and the error names it', (name, method) => {
  expect(() => checkStores(without(name, method))).toThrow(
    new RegExp(`^"${name}" must be an? .*: it has no "${method}"$`),
  )
})

test('records without native expiry need "sweep", and those with it do not', () => {
  const { sweep: _sweep, ...records } = stores.records
  expect(() => checkStores({ records })).toThrow('"records" must have "sweep", or remove expired records by itself')
  const expiring = { ...records, capabilities: { ...records.capabilities, nativeExpiry: true } }
  expect(() => checkStores({ records: expiring })).not.toThrow()
})

test('accounts and an audit log without a version have version 1', () => {
  expect(() => checkStores({ accounts, audit: createMemoryAuditStore() })).not.toThrow()
  expect(() => checkStores({ accounts: { ...accounts, capabilities: { contract: 1 } } })).not.toThrow()
  expect(() => checkStores({ accounts: { ...accounts, capabilities: {} } })).toThrow(
    'its "capabilities.contract" is undefined',
  )
})
