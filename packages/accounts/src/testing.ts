export { brokenAccountStores } from './testing/broken/broken-account-stores.ts'
export { describeAccountStore } from './testing/describe-account-store.ts'
