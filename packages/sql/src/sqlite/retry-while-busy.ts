import { randomFraction } from '@latchkey/bytes/internal'
import { pause } from '@latchkey/core/internal'
import { StoreError } from '@latchkey/store'
import { isBusy, toStoreError } from './sqlite-error.ts'

/** Short, because a busy writer leaves the lock free for moments only, and a longer pause would miss them. */
const longestPauseMs = 4

/**
 * Returns the result of an attempt on the database, which is repeated until the deadline while another connection holds
 * the lock. The pauses leave the event loop free, which SQLite's own wait would not; they are random, so that waiting
 * callers do not collide again.
 *
 * @throws StoreError when the lock was not released in time, and for every other failure of the driver.
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
      const waitMs = Math.min(pauseMs * (0.5 + randomFraction()), leftMs)
      await pause(waitMs)
    }
  }
}

/**
 * Creates a retrying function for many callers on one connection: each tries at once, and callers that find the
 * database locked wait in a queue, of which only the first retries. A thousand waiting requests cost no more than a
 * single request.
 */
export function createRetryQueue(deadlineMs: number): <T>(attempt: () => T) => Promise<T> {
  let queue: Promise<unknown> = Promise.resolve()
  return async (attempt) => {
    try {
      return attempt()
    } catch (error) {
      if (!isBusy(error)) throw toStoreError(error)
    }
    const end = performance.now() + deadlineMs
    // Callers ahead in the queue came earlier and time out earlier, so no caller waits beyond its own deadline.
    const turn = queue.then(() => retryWhileBusy(end - performance.now(), attempt))
    queue = turn.catch(() => {})
    return turn
  }
}
