import type { RecordStore } from '../record-store.ts'
import { createRecordBench } from './record-bench.ts'
import { recordConcurrency } from './record-concurrency.ts'
import { recordContract } from './record-contract.ts'
import { recordExpiry } from './record-expiry.ts'
import { recordIsolation } from './record-isolation.ts'
import { recordListing } from './record-listing.ts'
import { type KitClock, runTables, type TestRunner } from './test-runner.ts'

export interface RecordStoreKit extends TestRunner, KitClock {
  /**
   * Creates a client of the backend under test. It is called twice, when the first test runs: two clients of one
   * backend. The kit uses fresh keys and owners, so the backend need not be empty, and closes nothing.
   */
  readonly createStore: () => RecordStore | Promise<RecordStore>
}

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
export function describeRecordStore({ describe, test, createStore, ...clock }: RecordStoreKit): void {
  const tables = {
    contract: recordContract,
    isolation: recordIsolation,
    listing: recordListing,
    expiry: recordExpiry,
    concurrency: recordConcurrency,
  }
  const openBench = createRecordBench(createStore, clock)
  describe('record store', () => runTables({ describe, test }, tables, openBench))
}
