import { after } from './timers.ts'

/**
 * Settles like the work, or rejects if the work has not settled after these milliseconds. A later result of the work is
 * dropped.
 *
 * @param late returns the reason of the rejection.
 * @throws the rejection of the work, or the result of `late`.
 */
export async function within<T>(milliseconds: number, work: Promise<T>, late: () => unknown): Promise<T> {
  const { promise: expired, reject } = Promise.withResolvers<never>()
  const timer = after(milliseconds, () => reject(late()))
  return Promise.race([work, expired]).finally(timer.stop)
}

/**
 * Returns a signal that is aborted after these milliseconds with a `TimeoutError`. Unlike `AbortSignal.timeout`, it
 * follows the fake timers of a test. The process does not wait for it.
 */
export function abortAfter(milliseconds: number): AbortSignal {
  const controller = new AbortController()
  const expire = (): void => controller.abort(new DOMException('The operation timed out', 'TimeoutError'))
  after(milliseconds, expire).unref()
  return controller.signal
}
