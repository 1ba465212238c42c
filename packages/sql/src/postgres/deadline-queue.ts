import { after, type Timer } from '@latchkey/core/internal'
import { StoreError } from '@latchkey/store'
import type { StatementSignal } from './statement-signal.ts'

/** Allows every statement the same time, with one timer for all that are under way. */
export interface DeadlineQueue {
  /**
   * Returns the result of the work, or rejects at the deadline: by the signal the work learns to release what it holds, and a
   * late result is dropped.
   *
   * @throws StoreError `STORE_UNAVAILABLE` at the deadline.
   */
  run<T>(work: (signal: StatementSignal) => Promise<T>): Promise<T>
}

/**
 * Creates a queue of deadlines. All have the same length, so that they end in the order in which they began: a timer waits
 * for the first one only, and what was answered by then is passed over.
 */
export function createDeadlineQueue(deadlineMs: number): DeadlineQueue {
  let pending: Deadline[] = []
  let timer: Timer | null = null
  let open = 0

  function wait(): void {
    const first = pending.find((deadline) => !deadline.isOver)
    if (first) timer = after(Math.max(1, first.endsAt - performance.now()), () => endTurn(first.endsAt))
    else timer = null
  }

  /** When the event loop was blocked, an awaited answer may be in the socket already: it is read in this turn. */
  function endTurn(endsAt: number): void {
    const latest = Math.max(endsAt, performance.now())
    timer = after(0, () => {
      for (const deadline of pending) if (deadline.endsAt <= latest) deadline.pass()
      pending = pending.filter((deadline) => !deadline.isOver)
      wait()
    })
  }

  function settle(deadline: Deadline): void {
    deadline.isOver = true
    // Without work under way nothing keeps the process.
    if (--open > 0) return
    timer?.stop()
    timer = null
    pending = []
  }

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        const deadline = new Deadline(performance.now() + deadlineMs, () => {
          settle(deadline)
          reject(new StoreError('STORE_UNAVAILABLE', `the database did not answer within ${deadlineMs} ms`))
        })
        open++
        pending.push(deadline)
        if (timer === null) wait()
        const settled = (): void => {
          if (!deadline.isOver) settle(deadline)
        }
        work(deadline).then(
          (result) => {
            settled()
            resolve(result)
          },
          (error: unknown) => {
            settled()
            reject(error)
          },
        )
      }),
  }
}

class Deadline implements StatementSignal {
  aborted = false
  isOver = false
  readonly endsAt: number
  readonly #expire: () => void
  #listeners: (() => void)[] = []

  constructor(endsAt: number, expire: () => void) {
    this.endsAt = endsAt
    this.#expire = expire
  }

  addEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners.push(listener)
  }

  removeEventListener(_type: 'abort', listener: () => void): void {
    this.#listeners = this.#listeners.filter((other) => other !== listener)
  }

  throwIfAborted(): void {
    if (this.aborted) throw new DOMException('The deadline has passed', 'AbortError')
  }

  pass(): void {
    if (this.isOver) return
    this.aborted = true
    for (const listener of this.#listeners) listener()
    this.#expire()
  }
}
