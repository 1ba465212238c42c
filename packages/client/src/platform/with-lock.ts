import { abortAfter, pause } from './time.ts'

const lockMs = 3000
const messageMs = 50

/**
 * Runs a function in one tab at a time. If another tab had the lock, the function runs a moment later, so that a message of
 * that tab arrives first. After three seconds it runs without the lock, because a sleeping page keeps its lock. On platforms
 * without locks it runs at once.
 */
export async function withLock<Result>(name: string, run: () => Promise<Result>): Promise<Result> {
  let running: Promise<Result> | undefined
  const request = (options: LockOptions, start: () => Promise<Result>): Promise<unknown> =>
    navigator.locks.request(name, options, (lock) => {
      if (lock) running = start()
      return running
    })
  try {
    await request({ ifAvailable: true }, run)
    if (!running) await request({ signal: abortAfter(lockMs) }, () => pause(messageMs).then(run))
  } catch {
    // Without locks, after three seconds, and if the function has failed: then its promise says so.
  }
  return running ?? run()
}
