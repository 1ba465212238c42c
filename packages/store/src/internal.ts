// @internal: changes in any release.

export type { AuditChain, AuditHead } from './audit-store.ts'
export { type CheckedStores, checkStores } from './check-stores.ts'
export type { DocumentPage } from './document-store.ts'
export { type Collection, type CollectionItem, createCollection, listPages } from './documents/collection.ts'
export { documentId } from './documents/document-id.ts'
export { removeUnlessLast } from './documents/remove-unless-last.ts'
export { overtaken, untilFirst } from './documents/until-first.ts'
export { checkLockouts, createFailureCounter, type FailureCounter } from './failure-counter.ts'
export type { OneTimeValue } from './one-time/one-time-credentials.ts'
export { readTypedCode } from './one-time/read-typed-code.ts'
export {
  createReplayTrackedCredentials,
  type ReplayTrackedCredentials,
  type TracedCredentialsOptions,
  type TracedVerdict,
} from './one-time/replay-tracked-credentials.ts'
export type { NewRecord } from './record-store.ts'
export {
  isStoredCount,
  isStoredFlag,
  isStoredText,
  type StoredCheck,
  storedList,
  storedObject,
  storedOrNull,
  storedOrOmitted,
} from './values/stored-checks.ts'
export {
  defineStoredShape,
  isInvalidData,
  type Stored,
  type StoredShape,
  type StoredShapeOptions,
  storedVersion,
} from './values/stored-shape.ts'
