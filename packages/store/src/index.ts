export type { AuditChain, AuditHead, AuditQuery, AuditStore, StoredAuditRow } from './audit-store.ts'
export type { Broadcast } from './broadcast.ts'
export { type BroadcastReaders, createBroadcastReaders } from './broadcast-readers.ts'
export type { CounterCapabilities, CounterStore } from './counter-store.ts'
export { type Credential, createCredential, parseCredential } from './credential.ts'
export type { DocumentCapabilities, DocumentPage, DocumentStore, StoredDocument } from './document-store.ts'
export { isStoreError, StoreError, type StoreErrorCode } from './errors.ts'
export type { EnrolledFactor, EnrolledPasskey, FactorCategory, FactorProof, FactorVerdict } from './factors.ts'
export { firstVersion } from './first-version.ts'
export type { LinkStore, StoredLink } from './link-store.ts'
export { createMemoryAuditStore } from './memory/memory-audit-store.ts'
export { createMemoryBroadcast } from './memory/memory-broadcast.ts'
export { createMemoryCounterStore, type MemoryCounterStoreOptions } from './memory/memory-counter-store.ts'
export { createMemoryDocumentStore } from './memory/memory-document-store.ts'
export { createMemoryLinkStore } from './memory/memory-link-store.ts'
export { createMemoryRecordStore } from './memory/memory-record-store.ts'
export {
  createOneTimeCredentials,
  type OneTimeCredentials,
  type OneTimeCredentialsOptions,
  type OneTimeValue,
} from './one-time/one-time-credentials.ts'
export {
  createReplayTrackedCredentials,
  type ReplayTrackedCredentials,
  type TracedCredentialsOptions,
  type TracedVerdict,
} from './one-time/replay-tracked-credentials.ts'
export type {
  NewRecord,
  Page,
  RecordStore,
  StoreCapabilities,
  StoredRecord,
} from './record-store.ts'
export {
  isStoredCount,
  isStoredFlag,
  isStoredText,
  type StoredCheck,
  storedList,
  storedObject,
  storedOrNull,
} from './values/stored-checks.ts'
export {
  defineStoredShape,
  type Stored,
  type StoredShape,
  type StoredShapeOptions,
  storedVersion,
} from './values/stored-shape.ts'
