import { describeOutages } from './describe-outages.ts'
import { createRecordBench, type RecordStoreKit } from './record-bench.ts'
import { recordClocks } from './record-clocks.ts'
import { recordConcurrency } from './record-concurrency.ts'
import { recordContract } from './record-contract.ts'
import { recordExpiry } from './record-expiry.ts'
import { recordInstants } from './record-instants.ts'
import { recordIsolation } from './record-isolation.ts'
import { recordLimits } from './record-limits.ts'
import { recordListing } from './record-listing.ts'
import { recordLoad } from './record-load.ts'
import { prepareRecordOutages } from './record-outage.ts'
import { withStaleReadHint } from './stale-read.ts'
import { closeAfterAll, runTables } from './test-runner.ts'

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
export function describeRecordStore(kit: RecordStoreKit): void {
  const { describe, test, skip, afterAll, unreachable, freeze, thaw, deadlineMs, ...backend } = kit
  const tables = {
    contract: withStaleReadHint(recordContract),
    isolation: withStaleReadHint(recordIsolation),
    listing: withStaleReadHint(recordListing),
    limits: withStaleReadHint(recordLimits),
    expiry: withStaleReadHint(recordExpiry),
    clocks: recordClocks,
    instants: recordInstants,
    concurrency: recordConcurrency,
    load: recordLoad,
  }
  describe('record store', () => {
    const closing = closeAfterAll(afterAll)
    const { createStoreAt } = backend
    const openBench = createRecordBench({
      ...backend,
      createStore: async () => closing(await backend.createStore()),
      ...(createStoreAt && { createStoreAt: async (now) => closing(await createStoreAt(now)) }),
    })
    runTables({ describe, test }, tables, openBench)
    describeOutages({
      describe,
      test,
      ...(skip && { skip }),
      ...(unreachable && { unreachable: async () => closing(await unreachable()) }),
      ...(freeze && thaw && { freeze, thaw }),
      ...(deadlineMs !== undefined && { deadlineMs }),
      clients: async () => {
        const { store, other } = await openBench()
        return [store, other]
      },
      prepare: async () => prepareRecordOutages(await openBench()),
      probe: (client) => client.get('kit_unknown'),
    })
  })
}
