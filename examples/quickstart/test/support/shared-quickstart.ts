import type { TestProject } from 'vitest/node'
import { nodeStart, startQuickstart } from './start-quickstart.ts'

declare module 'vitest' {
  export interface ProvidedContext {
    /** Where one service runs that the tests share which leave it as it was. */
    quickstartUrl: string
  }
}

/** Starts one service for all files of tests that do not need one of their own. */
export async function setup(project: TestProject): Promise<() => Promise<void>> {
  const service = await startQuickstart({ DATA_DIR: ':memory:' }, nodeStart)
  project.provide('quickstartUrl', service.url)
  return async () => {
    await service.stop()
  }
}
