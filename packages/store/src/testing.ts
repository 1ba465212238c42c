export type { BrokenDocumentBackend, BrokenDocumentStore } from './testing/broken/broken-document.ts'
export { brokenDocumentStores } from './testing/broken/broken-document-stores.ts'
export { brokenRecordStores } from './testing/broken/broken-record-stores.ts'
export type { BrokenRecordStore, BrokenStore } from './testing/broken/broken-store.ts'
export { type BroadcastKit, describeBroadcast } from './testing/describe-broadcast.ts'
export { type CounterStoreKit, describeCounterStore } from './testing/describe-counter-store.ts'
export {
  describeOutages,
  type KitOutages,
  type OutageCalls,
  type OutageChange,
  type OutageKit,
} from './testing/describe-outages.ts'
export { type AuditStoreKit, describeAuditStore } from './testing/durable/describe-audit-store.ts'
export { type DocumentStoreKit, describeDocumentStore } from './testing/durable/describe-document-store.ts'
export { describeRecordStore } from './testing/records/describe-record-store.ts'
export type { RecordStoreKit } from './testing/records/record-bench.ts'
export type { TestRunner } from './testing/test-runner.ts'
