import { after, type Timer } from '@latchkey/time'
import { AccessError, UnavailableError } from '../errors.ts'
import { isPromise } from '../promise-or-value.ts'

/** The operation took longer than it may. Answered like an outage; the log has the limit. */
class ExecutionTimeoutError extends UnavailableError {
  override readonly name = 'ExecutionTimeoutError'
}

/** The end of one request: its time is over, its client has disconnected, or it is answered. */
export interface Deadline {
  /** Returns the signal that is aborted when the answer is no longer needed. It is created when it is first asked for. */
  signal(): AbortSignal
  /**
   * Returns what the work returns, unless the deadline comes first. What it returns or throws later is dropped.
   *
   * @throws ExecutionTimeoutError when the time is over; AccessError `SERVICE_UNAVAILABLE` when the client has disconnected.
   */
  race<T>(work: () => Promise<T> | T): Promise<T> | T
  /** Sets what is called with the reason once the deadline has come, after the signal was aborted. It replaces what was set. */
  onOver(listener: (reason: unknown) => void): void
  /** Removes the timer and the listener. */
  end(): void
}

/**
 * Starts the time of one request. Synchronous work cannot be interrupted: only once something is awaited there is a timer,
 * and a listener for the client's disconnection.
 */
export function startDeadline(timeoutMs: number, client: () => AbortSignal): Deadline {
  const endsAt = performance.now() + timeoutMs
  let controller: AbortController | null = null
  let gone: AbortSignal | null = null
  let over: Error | null = null
  let timer: Timer | null = null
  let giveUp: ((reason: Error) => void) | null = null
  let listener: ((reason: unknown) => void) | null = null

  const finish = (answer: Error, reason: unknown): void => {
    over ??= answer
    giveUp?.(over)
    controller?.abort(reason)
    listener?.(reason)
  }
  const expire = (): void => {
    const error = new ExecutionTimeoutError(`The operation took longer than ${timeoutMs} ms.`)
    finish(error, error)
  }
  const leave = (): void => finish(new AccessError('SERVICE_UNAVAILABLE', { cause: gone?.reason }), gone?.reason)
  const look = (): void => {
    if (over) return
    gone ??= client()
    if (gone.aborted) leave()
  }
  const watch = (): void => {
    if (timer !== null) return
    timer = after(Math.max(0, endsAt - performance.now()), expire)
    look()
    gone?.addEventListener('abort', leave, { once: true })
  }
  return {
    signal() {
      if (!controller) {
        controller = new AbortController()
        if (over && !controller.signal.aborted) controller.abort(over)
      }
      return controller.signal
    },
    race(work) {
      look()
      if (over) throw over
      const result = work()
      if (!isPromise(result)) return result
      watch()
      return new Promise((resolve, reject) => {
        result.then(resolve, reject)
        giveUp = reject
        if (over) reject(over)
      })
    },
    onOver(given) {
      listener = given
    },
    end() {
      listener = null
      if (timer === null) return
      timer.stop()
      gone?.removeEventListener('abort', leave)
    },
  }
}
