import { AccessError } from './errors.ts'
import { UnavailableError } from './unavailable-error.ts'

/** The operation took longer than it may: answered like an outage, with the time in the log. */
class ExecutionTimeoutError extends UnavailableError {
  override readonly name = 'ExecutionTimeoutError'
}

/** The end of one request: its time is over, its client has gone, or it is answered. */
export interface Deadline {
  /** Aborted when nobody waits for the answer any more. Made when it is first asked for. */
  readonly signal: AbortSignal
  /**
   * Gives what the work gives, unless the deadline comes first. What the work gives or throws later is dropped.
   *
   * @throws ExecutionTimeoutError when the time is over; AccessError `SERVICE_UNAVAILABLE` when the client has gone.
   */
  race<T>(work: () => Promise<T> | T): Promise<T> | T
  /** Leaves no timer and no listener behind. */
  end(): void
}

/** Starts the time of one request. */
export function startDeadline(timeoutMs: number, client: () => AbortSignal): Deadline {
  let controller: AbortController | null = null
  let gone: AbortSignal | null = null
  let over: Error | null = null
  let giveUp: ((reason: Error) => void) | null = null

  const finish = (answer: Error, reason: unknown): void => {
    over ??= answer
    giveUp?.(over)
    controller?.abort(reason)
  }
  const timer = setTimeout(() => {
    const error = new ExecutionTimeoutError(`The operation took longer than ${timeoutMs} ms.`)
    finish(error, error)
  }, timeoutMs)
  const leave = (): void => finish(new AccessError('SERVICE_UNAVAILABLE', { cause: gone?.reason }), gone?.reason)
  const watchClient = (): void => {
    if (gone) return
    gone = client()
    if (gone.aborted) leave()
    else gone.addEventListener('abort', leave, { once: true })
  }
  return {
    get signal() {
      if (!controller) {
        controller = new AbortController()
        watchClient()
        if (over && !controller.signal.aborted) controller.abort(over)
      }
      return controller.signal
    },
    race(work) {
      if (over) throw over
      const result = work()
      if (!isPromise(result)) return result
      watchClient()
      return new Promise((resolve, reject) => {
        result.then(resolve, reject)
        giveUp = reject
        if (over) reject(over)
      })
    },
    end() {
      clearTimeout(timer)
      gone?.removeEventListener('abort', leave)
    },
  }
}

function isPromise<T>(value: Promise<T> | T): value is Promise<T> {
  return typeof value === 'object' && value !== null && 'then' in value
}
