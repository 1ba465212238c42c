import { after } from './timers.ts'

/**
 * Settles like the work, or rejects when it has not settled after so many milliseconds. What comes later is dropped.
 *
 * @param late returns the reason of that rejection.
 * @throws what the work rejects with, and what `late` returns.
 */
export async function within<T>(milliseconds: number, work: Promise<T>, late: () => unknown): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const timer = after(milliseconds, () => reject(late()))
  return Promise.race([work, expired]).finally(timer.stop)
}

/**
 * Returns a signal that is aborted after so many milliseconds, with a `TimeoutError`: `AbortSignal.timeout`, whose time no
 * test can replace. The process does not wait for it.
 */
export function abortAfter(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  const expire = (): void => controller.abort(new DOMException('The operation timed out', 'TimeoutError'))
  after(milliseconds, expire).unref()
  return controller.signal
}
