import { after } from '@latchkey/core/internal'
/** Waits for one promise at a time, and can be interrupted for good. */
export interface Interruptible {
  /**
   * Settles like the promise, unless it is interrupted or late.
   *
   * @throws the reason of the interruption, and `late()` after `ms` milliseconds.
   */
  wait<T>(promise: Promise<T>, deadline?: WaitDeadline): Promise<T>
  /** Rejects the current wait and all later waits; the first reason counts. */
  interrupt(reason: unknown): void
}

export interface WaitDeadline {
  readonly ms: number
  readonly late: () => unknown
}

interface InterruptibleState {
  interrupted: { readonly reason: unknown } | null
  /** Rejects the current wait. */
  stop: ((reason: unknown) => void) | null
}

/** Replaces `Promise.race`: a promise as old as the stream would keep every race in memory. */
export function createInterruptible(): Interruptible {
  const state: InterruptibleState = { interrupted: null, stop: null }
  return {
    wait: (promise, deadline) => wait(state, promise, deadline),
    interrupt(reason) {
      state.interrupted ??= { reason }
      state.stop?.(state.interrupted.reason)
    },
  }
}

function wait<T>(state: InterruptibleState, promise: Promise<T>, deadline?: WaitDeadline): Promise<T> {
  return new Promise((resolve, reject) => {
    const timer = deadline && after(deadline.ms, () => reject(deadline.late()))
    const stop = (reason: unknown): void => {
      timer?.stop()
      reject(reason)
    }
    state.stop = stop
    void promise
      .finally(() => {
        timer?.stop()
        if (state.stop === stop) state.stop = null
      })
      .then(resolve, reject)
    if (state.interrupted) stop(state.interrupted.reason)
  })
}
