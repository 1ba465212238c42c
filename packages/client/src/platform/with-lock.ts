import { abortAfter } from './time.ts'

const lockMs = 3000

/**
 * Runs a function in one tab at a time. `waited`: another tab had the lock. After three seconds the function runs without the
 * lock, because a sleeping page keeps its lock. On platforms without locks it runs at once.
 */
export async function withLock<Result>(name: string, run: (waited: boolean) => Promise<Result>): Promise<Result> {
  const began = performance.now()
  let running: Promise<Result> | undefined
  const enter = (): Promise<Result> => {
    running = run(performance.now() - began > 10)
    return running
  }
  try {
    await navigator.locks.request(name, { signal: abortAfter(lockMs) }, enter)
  } catch {
    // Without locks, after three seconds, and if the function has failed: then its promise says so.
  }
  return running ?? enter()
}
