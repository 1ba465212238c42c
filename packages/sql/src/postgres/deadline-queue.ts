import { after, type Timer } from '@latchkey/core/internal'
import { StoreError } from '@latchkey/store'
import type { StatementSignal } from './statement-signal.ts'

/** Allows every statement the same time, with one timer for all that are under way. */
export interface DeadlineQueue {
  /**
   * Returns the result of the work, or rejects at the deadline: the signal tells the work to release its connection,
   * and a late result is dropped.
   *
   * @param work receives its deadline as an instant of `performance.now()`.
   * @throws StoreError `STORE_UNAVAILABLE` at the deadline.
   */
  run<T>(work: (signal: StatementSignal, end: number) => Promise<T>): Promise<T>
}

/**
 * How many times the deadline a statement may wait for its place while others are answered. When none is, the database is
 * away: then it waits for no longer than the deadline.
 */
const waitsAtMost = 4

/**
 * Creates a queue of deadlines. All have the same length, so they expire in the order in which they started: a single
 * timer waits for the first, and answered work is skipped.
 *
 * @param places the number of statements under way. The time of the others starts with their turn: a crowd is no
 * outage.
 */
export function createDeadlineQueue(deadlineMs: number, places: number): DeadlineQueue {
  let pending: Deadline[] = []
  const waiting: Deadline[] = []
  let timer: Timer | null = null
  let underWay = 0
  let open = 0
  let answeredAt = Number.NEGATIVE_INFINITY

  const endOfWait = ({ askedAt }: Deadline): number =>
    Math.min(Math.max(askedAt, answeredAt) + deadlineMs, askedAt + waitsAtMost * deadlineMs)

  /** Both lists are sorted by expiry. */
  function nextEnd(): number {
    const first = pending.find((deadline) => !deadline.isOver)?.endsAt ?? Number.POSITIVE_INFINITY
    return waiting[0] ? Math.min(first, endOfWait(waiting[0])) : first
  }

  function wait(): void {
    const end = nextEnd()
    timer = end === Number.POSITIVE_INFINITY ? null : after(Math.max(1, end - performance.now()), () => endTurn(end))
  }

  /** When the event loop was blocked, an awaited answer may be in the socket already: it is read in this turn. */
  function endTurn(end: number): void {
    const latest = Math.max(end, performance.now())
    timer = after(0, () => {
      for (const deadline of pending) if (deadline.endsAt <= latest) deadline.pass()
      pending = pending.filter((deadline) => !deadline.isOver)
      while (waiting[0] && endOfWait(waiting[0]) <= latest) waiting.shift()?.pass()
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

  /** A place is free again when its work has let go, which may be after its deadline. */
  function letGo(deadline: Deadline): void {
    underWay--
    if (!deadline.isOver) {
      answeredAt = performance.now()
      settle(deadline)
    }
    const next = waiting.shift()
    if (next) begin(next)
  }

  function begin(deadline: Deadline): void {
    underWay++
    // A place that another one has given up, and not an answer, is no reason for more time.
    deadline.endsAt = Math.max(deadline.askedAt, answeredAt) + deadlineMs
    pending.push(deadline)
    deadline.begin(() => letGo(deadline))
    if (timer === null) wait()
  }

  return {
    run: (work) =>
      new Promise((resolve, reject) => {
        const deadline = new Deadline({
          expire() {
            settle(deadline)
            reject(new StoreError('STORE_UNAVAILABLE', `the database did not answer within ${deadlineMs} ms`))
          },
          begin(over) {
            work(deadline, deadline.endsAt).then(
              (result) => {
                over()
                resolve(result)
              },
              (error: unknown) => {
                over()
                reject(error)
              },
            )
          },
        })
        open++
        if (underWay < places) begin(deadline)
        else waiting.push(deadline)
        if (timer === null) wait()
      }),
  }
}

class Deadline implements StatementSignal {
  aborted = false
  isOver = false
  readonly askedAt: number
  endsAt = Number.POSITIVE_INFINITY
  readonly begin: (over: () => void) => void
  readonly #expire: () => void
  #listeners: (() => void)[] = []

  constructor({ begin, expire }: { begin: (over: () => void) => void; expire: () => void }) {
    this.askedAt = performance.now()
    this.begin = begin
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
