// @internal: changes in any release.
export { type CheckedStores, checkStores } from './check-stores.ts'
export { type Collection, type CollectionItem, createCollection, listPages } from './documents/collection.ts'
export { documentId } from './documents/document-id.ts'
export { checkLockouts, createFailureCounter, type FailureCounter } from './failure-counter.ts'
