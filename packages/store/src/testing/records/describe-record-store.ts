import type { RecordStore } from '../../record-store.ts'
import { describeOutages } from '../describe-outages.ts'
import { withHistories } from '../history/record-calls.ts'
import { reportingRunner } from '../kit-report.ts'
import type { StoreKit } from '../store-kit.ts'
import {
  closeAfterAll,
  type KitPart,
  runnableParts,
  runnerOf,
  runTables,
  type TestRunner,
  type TestTable,
} from '../test-runner.ts'
import { createRecordBench, type RecordBackend, type RecordBench } from './record-bench.ts'
import { recordClocks, recordHaste } from './record-clocks.ts'
import { recordConcurrency } from './record-concurrency.ts'
import { recordContract } from './record-contract.ts'
import { recordExpiry } from './record-expiry.ts'
import { recordIndex } from './record-index.ts'
import { recordInstants, recordLocalClocks } from './record-instants.ts'
import { recordIsolation } from './record-isolation.ts'
import { recordLimits, recordVersions } from './record-limits.ts'
import { recordListing } from './record-listing.ts'
import { recordLoad } from './record-load.ts'
import { recordModel } from './record-model.ts'
import { prepareRecordOutages } from './record-outage.ts'
import { recordSweeps } from './record-sweeps.ts'
import { withStaleReadHint } from './stale-read.ts'

/**
 * Describes the whole contract of `RecordStore` as tests of a runner, for a store of your own: the methods one by one,
 * isolation, listings, expiry to the millisecond, and every race that must have one winner. `brokenRecordStores` shows
 * the mistake that each race finds.
 *
 * @example
 * import { describe, test } from 'node:test'
 * import { createMemoryRecordStore } from '@latchkey/store'
 * import { describeRecordStore } from '@latchkey/store/testing'
 * const store = createMemoryRecordStore()
 * describeRecordStore({ describe, test, createStore: () => store })
 */
export function describeRecordStore(
  kit: StoreKit<RecordStore> & {
    /**
     * Creates a client of the same backend with this clock, as the option `now` of a store does. The kit uses it to
     * show that removal does not depend on a clock. Omitted: those tests are skipped.
     */
    readonly createStoreAt?: (now: () => number) => RecordStore | Promise<RecordStore>
    /**
     * Sets the version of a record in the backend, past the store: `update … set version = $2 where key = $1`. The kit
     * shows with it how often a record can be replaced, without doing so. Omitted: that test is skipped.
     */
    readonly setVersion?: (key: string, version: number) => Promise<unknown>
  },
): void {
  const { runner, addReport } = reportingRunner('record store', runnerOf(kit), kit)
  runner.describe('record store', () => {
    const closing = closeAfterAll(kit.afterAll)
    const { createStoreAt, createStoreElsewhere, unreachable } = kit
    const openBench = createRecordBench({
      ...kit,
      createStore: async () => closing(await kit.createStore()),
      ...(createStoreElsewhere && { createStoreElsewhere: async () => closing(await createStoreElsewhere()) }),
      ...(createStoreAt && { createStoreAt: async (now) => closing(await createStoreAt(now)) }),
    })
    runTables(runner, tablesOf(kit, runner), openBench)
    describeOutages({
      ...kit,
      ...runner,
      ...(unreachable && { unreachable: async () => closing(await unreachable()) }),
      clients: async () => {
        const { store, other } = await openBench()
        return [store, other]
      },
      prepare: async () => prepareRecordOutages(await openBench()),
      probe: (client) => client.get('kit_unknown'),
    })
    addReport()
  })
}

function tablesOf(kit: RecordBackend, runner: TestRunner): Readonly<Record<string, TestTable<RecordBench>>> {
  const { createStoreAt, setVersion, now, wait } = kit
  const hasClock = createStoreAt !== undefined || (now !== undefined && wait !== undefined)
  const parts: readonly KitPart<TestTable<RecordBench>>[] = [
    ['versions', withStaleReadHint(recordVersions), setVersion !== undefined, '"setVersion"'],
    ['clocks ahead', recordHaste, createStoreAt !== undefined, '"createStoreAt"'],
    ['index', recordIndex, hasClock, '"createStoreAt", or "now" and "wait"'],
    ['instants', recordInstants, hasClock, '"createStoreAt", or "now" and "wait"'],
  ]
  return {
    contract: withStaleReadHint(recordContract),
    isolation: withStaleReadHint(recordIsolation),
    listing: withStaleReadHint(recordListing),
    limits: withStaleReadHint(recordLimits),
    expiry: withStaleReadHint(recordExpiry),
    sweeps: recordSweeps,
    clocks: { ...recordClocks, ...recordLocalClocks },
    concurrency: withHistories(recordConcurrency, recordModel, (bench, wrap) => bench.through(wrap)),
    load: recordLoad,
    ...runnableParts('record store', runner, parts),
  }
}
