import { storeContract } from '../check-stores.ts'
import type { StoreKit } from './store-kit.ts'
import type { TestRunner } from './test-runner.ts'

/** Returns a runner that records the outcome of each test, and the function that adds the report as the last test. */
export function reportingRunner(
  kit: string,
  runner: TestRunner,
  { backend = 'not named', report }: Pick<StoreKit<unknown>, 'backend' | 'report'>,
): { readonly runner: TestRunner; readonly addReport: () => void } {
  if (!report) return { runner, addReport: () => {} }
  const passed: string[] = []
  const failed: string[] = []
  const skipped = new Map<string, string>()
  const test: TestRunner['test'] = (title, body) =>
    runner.test(title, async () => {
      try {
        await body()
        if (!skipped.has(title)) passed.push(title)
      } catch (error) {
        failed.push(title)
        throw error
      }
    })
  const skip: TestRunner['skip'] = (title, needs) => {
    skipped.set(title, needs)
    return runner.skip?.(title, needs)
  }
  const addReport = (): void => {
    runner.test('the conformance report is written', async () => {
      const title = `${kit}, contract ${storeContract}, on ${backend}, ${hostVersion()}`
      const counts = `${passed.length} passed, ${failed.length} failed, ${skipped.size} skipped`
      const reasons = [...skipped].map(([one, needs]) => `skipped: ${one} (needs ${needs})`)
      const lines = [...failed.map((one) => `failed: ${one}`), ...reasons]
      await report([title, counts, ...lines].join('\n'))
    })
  }
  return { runner: { ...runner, test, skip }, addReport }
}

function hostVersion(): string {
  const { process } = globalThis as { readonly process?: { readonly version?: string } }
  return process?.version ? `Node.js ${process.version}` : 'another host than Node.js'
}
