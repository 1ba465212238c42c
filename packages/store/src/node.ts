export { createStoreInProcess } from './node/store-in-process.ts'
