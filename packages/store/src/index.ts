export type { AuditChain, AuditHead, AuditQuery, AuditStore, StoredAuditRow } from './audit-store.ts'
export type { Broadcast } from './broadcast.ts'
export { type BroadcastReaders, createBroadcastReaders } from './broadcast-readers.ts'
export type { CounterStore } from './counter-store.ts'
export { type Credential, createCredential, parseCredential } from './credential.ts'
export type { DocumentPage, DocumentStore, StoredDocument } from './document-store.ts'
export { isStoreError, StoreError, type StoreErrorCode } from './errors.ts'
export type { EnrolledFactor, EnrolledPasskey, FactorCategory, FactorProof, FactorVerdict } from './factors.ts'
export { createMemoryAuditStore } from './memory/memory-audit-store.ts'
export { createMemoryBroadcast } from './memory/memory-broadcast.ts'
export { createMemoryCounterStore } from './memory/memory-counter-store.ts'
export { createMemoryDocumentStore } from './memory/memory-document-store.ts'
export { createMemoryRecordStore } from './memory/memory-record-store.ts'
export {
  createOneTimeCredentials,
  type OneTimeCredentials,
  type OneTimeValue,
} from './one-time/one-time-credentials.ts'
export type {
  NewRecord,
  Page,
  RecordStore,
  StoreCapabilities,
  StoredRecord,
} from './record-store.ts'
