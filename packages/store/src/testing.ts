export { brokenRecordStores } from './testing/broken/broken-record-stores.ts'
export type { BrokenRecordStore, BrokenStore } from './testing/broken/broken-store.ts'
export { type CounterStoreKit, describeCounterStore } from './testing/describe-counter-store.ts'
export { describeFactorStore, type FactorStoreKit } from './testing/describe-factor-store.ts'
export {
  describeOutages,
  type KitOutages,
  type OutageCalls,
  type OutageChange,
  type OutageKit,
} from './testing/describe-outages.ts'
export { describeRecordStore } from './testing/describe-record-store.ts'
export type { RecordStoreKit } from './testing/record-bench.ts'
export type { TestRunner } from './testing/test-runner.ts'
