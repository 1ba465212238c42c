import { abortAfter } from './time.ts'

const lockMs = 3000

/**
 * Runs a function while no other tab does, and says whether it had to wait. After three seconds it runs all the same: a page
 * that sleeps keeps its lock. Without locks it runs at once.
 */
export async function withLock<Result>(name: string, run: (waited: boolean) => Promise<Result>): Promise<Result> {
  let entered = false
  const enter = (waited: boolean): Promise<Result> => {
    entered = true
    return run(waited)
  }
  const { locks } = globalThis.navigator ?? {}
  if (!locks) return run(false)
  const began = performance.now()
  try {
    return await locks.request(name, { signal: abortAfter(lockMs) }, () => enter(performance.now() - began > 10))
  } catch (error) {
    if (entered) throw error
    return enter(true)
  }
}
