// @internal: changes in any release.

export { counterModel } from './testing/counters/counter-model.ts'
export { describeOutages, type OutageCalls, type OutageChange } from './testing/describe-outages.ts'
export { documentModel } from './testing/durable/document-model.ts'
export { type DurableBench, describeDurable } from './testing/durable/kit-bench.ts'
export {
  describeHistory,
  isLinearizable,
  type Operation,
  type SequentialModel,
  shortestFailure,
} from './testing/history/linearize.ts'
export { readPages } from './testing/read-pages.ts'
export { recordModel } from './testing/records/record-model.ts'
export type { TestTable } from './testing/test-runner.ts'
