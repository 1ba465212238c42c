export { type DenialStoreKit, describeDenialStore } from './testing/describe-denial-store.ts'
