import { setTimeout } from 'node:timers/promises'
import { StoreError } from '@latchkey/store'
import { isBusy, toStoreError } from './sqlite-error.ts'

/** Short, because a busy writer leaves the lock free for moments only, and whoever sleeps through them starves. */
const longestPauseMs = 4

/**
 * Gives what an attempt on the database gives, and makes another one while somebody else holds the lock, until the
 * deadline. The pauses leave the event loop free, which SQLite's own waiting would not; they differ by chance, so that
 * those who wait do not meet again.
 *
 * @throws StoreError when the lock was not free in time, and for every other failure of the driver.
 */
export async function retryWhileBusy<T>(deadlineMs: number, attempt: () => T): Promise<T> {
  const end = performance.now() + deadlineMs
  for (let pauseMs = 1; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw toStoreError(error)
      const leftMs = end - performance.now()
      if (leftMs <= 0) throw new StoreError('STORE_UNAVAILABLE', 'the database stayed locked', { cause: error })
      await setTimeout(Math.min(pauseMs * (0.5 + Math.random()), leftMs))
    }
  }
}

/**
 * Gives the same for many callers on one connection: each attempts at once, and those who find the lock taken stand in
 * line, so that only the first of them keeps asking. A thousand waiting requests cost no more than one.
 */
export function createRetryQueue(deadlineMs: number): <T>(attempt: () => T) => Promise<T> {
  let line: Promise<unknown> = Promise.resolve()
  return async (attempt) => {
    const end = performance.now() + deadlineMs
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw toStoreError(error)
    }
    // Whoever stands further ahead came earlier and gives up earlier, so nobody waits beyond a deadline of their own.
    const turn = line.then(() => retryWhileBusy(end - performance.now(), attempt))
    line = turn.catch(() => null)
    return turn
  }
}
