export { createFairQueue, type FairQueue, type QueueVerdict } from './fair-queue/create-fair-queue.ts'
export type { FairQueueOptions, ThrottledAddress } from './fair-queue/fair-queue-options.ts'
