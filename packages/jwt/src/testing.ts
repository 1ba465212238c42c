export { type DenialStoreKit, describeDenialStore } from './testing/describe-denial-store.ts'
export { describeKeyStore, type KeyStoreKit } from './testing/describe-key-store.ts'
