export { describeKeyStore, type KeyStoreKit } from './testing/describe-key-store.ts'
