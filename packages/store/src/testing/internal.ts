// @internal: changes in any release.

export { type DurableBench, type DurableKit, describeDurable } from './durable/kit-bench.ts'
export { readPages } from './read-pages.ts'
export type { TestTable } from './test-runner.ts'
