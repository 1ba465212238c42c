import { atDeadline } from '@latchkey/core/internal'
import { StoreError } from '@latchkey/store'

/**
 * Returns the result of the work, or rejects at the deadline: by the signal the work learns to release what it holds, and a
 * late result is dropped.
 *
 * @throws StoreError `STORE_UNAVAILABLE` at the deadline.
 */
export async function withinDeadline<T>(deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController()
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const timer = atDeadline(deadlineMs, () => {
    deadline.abort()
    reject(new StoreError('STORE_UNAVAILABLE', `the database did not answer within ${deadlineMs} ms`))
  })
  try {
    return await Promise.race([work(deadline.signal), expired])
  } finally {
    timer.stop()
  }
}
