// @internal: changes in any release.

export { describeOutages, type OutageCalls, type OutageChange } from './testing/describe-outages.ts'
export { type DurableBench, describeDurable } from './testing/durable/kit-bench.ts'
export {
  describeHistory,
  isLinearizable,
  type Operation,
  type SequentialModel,
  shortestFailure,
} from './testing/history/linearize.ts'
export { readPages } from './testing/read-pages.ts'
export type { TestTable } from './testing/test-runner.ts'
