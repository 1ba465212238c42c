// @internal: changes in any release.

export { type DurableBench, type DurableKit, describeDurable } from './testing/durable/kit-bench.ts'
export { readPages } from './testing/read-pages.ts'
export type { TestTable } from './testing/test-runner.ts'
