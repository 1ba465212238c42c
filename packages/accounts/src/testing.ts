export { type BrokenAccountStore, brokenAccountStores } from './testing/broken-account-stores.ts'
export { type AccountDirectoryKit, describeAccountDirectory } from './testing/describe-account-directory.ts'
export { type AccountStoreKit, describeAccountStore } from './testing/describe-account-store.ts'
