import { StoreError } from '@latchkey/store'

/**
 * Returns the result of the work, or rejects at the deadline: the signal tells the work to release what it holds, and a
 * late result is dropped.
 *
 * @throws StoreError `STORE_UNAVAILABLE` at the deadline.
 */
export async function withinDeadline<T>(deadlineMs: number, work: (signal: AbortSignal) => Promise<T>): Promise<T> {
  const deadline = new AbortController()
  let timer: ReturnType<typeof setTimeout> | undefined
  const expired = new Promise<never>((_resolve, reject) => {
    const giveUp = () => {
      deadline.abort()
      reject(new StoreError('STORE_UNAVAILABLE', `the database did not answer within ${deadlineMs} ms`))
    }
    // When the event loop was blocked, the answer may be in the socket already: it gets one more turn.
    timer = setTimeout(() => {
      timer = setTimeout(giveUp, 0)
    }, deadlineMs)
  })
  const working = work(deadline.signal)
  // After the deadline its failure is not handled elsewhere.
  working.catch(() => {})
  try {
    return await Promise.race([working, expired])
  } finally {
    clearTimeout(timer)
  }
}
