import { after, type Timer } from '@latchkey/core/internal'
import { AccessError, UnavailableError } from '../errors.ts'
import { isPromise } from '../promise-or-value.ts'

/** The operation timed out. Answered like an outage; the log has the limit. */
class ExecutionTimeoutError extends UnavailableError {
  override readonly name = 'ExecutionTimeoutError'
}

/** The deadline of a request: its time is over, its client has disconnected, or it is answered. */
export interface Deadline {
  /** Returns the signal that is aborted when the answer is no longer needed. Created on first use. */
  signal(): AbortSignal
  /**
   * Returns the result of the work, unless the deadline comes first. Later results and errors are dropped.
   *
   * @throws ExecutionTimeoutError after the time; AccessError `SERVICE_UNAVAILABLE` after the client has disconnected.
   */
  race<T>(work: () => Promise<T> | T): Promise<T> | T
  /**
   * Sets the function that is called with the reason after the deadline, once the signal is aborted. It replaces the
   * previous function.
   */
  onOver(listener: (reason: unknown) => void): void
  /** Removes the timer and the listener. */
  end(): void
}

/**
 * Starts the time of a request. Synchronous work cannot be interrupted, so the timer and the listener for
 * disconnections start with the first asynchronous work.
 */
export function startDeadline(timeoutMs: number, client: () => AbortSignal): Deadline {
  return new RequestDeadline(timeoutMs, client)
}

/** A class, because most requests use none of its parts, and closures would be created for each of them. */
class RequestDeadline implements Deadline {
  readonly #timeoutMs: number
  readonly #client: () => AbortSignal
  readonly #endsAt: number
  #controller: AbortController | null = null
  #gone: AbortSignal | null = null
  #over: Error | null = null
  #timer: Timer | null = null
  #leave: (() => void) | null = null
  #giveUp: ((reason: Error) => void) | null = null
  #listener: ((reason: unknown) => void) | null = null

  constructor(timeoutMs: number, client: () => AbortSignal) {
    this.#timeoutMs = timeoutMs
    this.#client = client
    this.#endsAt = performance.now() + timeoutMs
  }

  signal(): AbortSignal {
    if (!this.#controller) {
      this.#controller = new AbortController()
      if (this.#over) this.#controller.abort(this.#over)
    }
    return this.#controller.signal
  }

  race<T>(work: () => Promise<T> | T): Promise<T> | T {
    this.#look()
    if (this.#over) throw this.#over
    const result = work()
    if (!isPromise(result)) return result
    this.#watch()
    return new Promise((resolve, reject) => {
      result.then(resolve, reject)
      this.#giveUp = reject
      if (this.#over) reject(this.#over)
    })
  }

  onOver(given: (reason: unknown) => void): void {
    this.#listener = given
  }

  end(): void {
    this.#listener = null
    this.#timer?.stop()
    if (this.#leave) this.#gone?.removeEventListener('abort', this.#leave)
  }

  #finish(answer: Error, reason: unknown): void {
    this.#over ??= answer
    this.#giveUp?.(this.#over)
    this.#controller?.abort(reason)
    this.#listener?.(reason)
  }

  #expire(): void {
    const error = new ExecutionTimeoutError(`The operation took longer than ${this.#timeoutMs} ms.`)
    this.#finish(error, error)
  }

  #look(): void {
    if (this.#over) return
    this.#gone ??= this.#client()
    if (this.#gone.aborted) this.#abandon()
  }

  #abandon(): void {
    const reason: unknown = this.#gone?.reason
    this.#finish(new AccessError('SERVICE_UNAVAILABLE', { cause: reason }), reason)
  }

  #watch(): void {
    if (this.#timer !== null) return
    this.#timer = after(Math.max(0, this.#endsAt - performance.now()), () => this.#expire())
    this.#look()
    const leave = () => this.#abandon()
    this.#leave = leave
    this.#gone?.addEventListener('abort', leave, { once: true })
  }
}
