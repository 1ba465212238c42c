import { StoreError } from '@latchkey/store'

/**
 * Gives what the work gives, or gives up at the deadline: the signal tells the work to let go of what it holds, and
 * what it still brings is dropped.
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
    // When the event loop itself was held up, an answer may lie in the socket already: one more turn for it.
    timer = setTimeout(() => {
      timer = setTimeout(giveUp, 0)
    }, deadlineMs)
  })
  const working = work(deadline.signal)
  // After the deadline nobody listens to its failure any more.
  working.catch(() => null)
  try {
    return await Promise.race([working, expired])
  } finally {
    clearTimeout(timer)
  }
}
