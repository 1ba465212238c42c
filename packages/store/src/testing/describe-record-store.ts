import { createRecordBench, type RecordStoreKit } from './record-bench.ts'
import { recordClocks } from './record-clocks.ts'
import { recordConcurrency } from './record-concurrency.ts'
import { recordContract } from './record-contract.ts'
import { recordExpiry } from './record-expiry.ts'
import { recordIsolation } from './record-isolation.ts'
import { recordListing } from './record-listing.ts'
import { runTables } from './test-runner.ts'

/**
 * Describes the whole contract of `RecordStore` as tests of a runner, for a store of your own: the methods one by one,
 * isolation, listings, expiry to the millisecond, and every race that must have one winner. `brokenRecordStores` shows
 * what each race is for.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryRecordStore } from '@latchkey/store'
 * import { describeRecordStore } from '@latchkey/store/testing'
 * const store = createMemoryRecordStore()
 * describeRecordStore({ describe, test, createStore: () => store })
 */
export function describeRecordStore({ describe, test, ...backend }: RecordStoreKit): void {
  const tables = {
    contract: recordContract,
    isolation: recordIsolation,
    listing: recordListing,
    expiry: recordExpiry,
    clocks: recordClocks,
    concurrency: recordConcurrency,
  }
  const openBench = createRecordBench(backend)
  describe('record store', () => runTables({ describe, test }, tables, openBench))
}
