/** Work that the platform's timers will call. */
export interface Timer {
  /** Cancels work that has not started. It may be called repeatedly, and after the work is done. */
  stop(): void
  /**
   * Lets the process exit without waiting for the work, if the runtime would wait.
   *
   * @returns the timer itself.
   */
  unref(): Timer
}

/** Calls the work once, after these milliseconds. */
export function after(milliseconds: number, work: () => void): Timer {
  const handle = setTimeout(work, milliseconds)
  return toTimer(handle, () => clearTimeout(handle))
}

/**
 * Calls the work again and again at this interval, for the first time after one. The process does not wait for it.
 */
export function every(milliseconds: number, work: () => void): Timer {
  const handle = setInterval(work, milliseconds)
  return toTimer(handle, () => clearInterval(handle)).unref()
}

/**
 * Calls the work one turn of the event loop after the time is over: when the event loop was blocked, the awaited answer may
 * be in the socket already, and stops the timer in that turn. It is never called before the time is over by
 * `performance.now()`, as the platform's timers are, by up to two milliseconds.
 */
export function atDeadline(milliseconds: number, work: () => void): Timer {
  const endsAt = performance.now() + milliseconds
  let mayEnd = false
  const follow = (next: Timer): Timer => (mayEnd ? next.unref() : next)
  let timer = after(milliseconds, () => {
    const left = endsAt - performance.now()
    timer = follow(after(left > 0 ? Math.ceil(left) + 1 : 0, work))
  })
  const deadline: Timer = {
    stop: () => timer.stop(),
    unref() {
      mayEnd = true
      timer.unref()
      return deadline
    },
  }
  return deadline
}

/**
 * Calls the work once, after the callbacks that are ready in this turn of the event loop, so that simultaneous requests
 * can share it. The process waits for it.
 */
export function afterTurn(work: () => void): void {
  // Runtimes other than Node.js may lack it.
  const { setImmediate } = globalThis as { readonly setImmediate?: (work: () => void) => unknown }
  if (setImmediate) setImmediate(work)
  else after(0, work)
}

/** Resolves after these milliseconds. With 0 it lets the event loop take a turn. */
export function pause(milliseconds: number): Promise<void> {
  return new Promise((resolve) => void after(milliseconds, resolve))
}

/** Runtimes other than Node.js have numbers as handles. */
function toTimer(handle: unknown, stop: () => void): Timer {
  const timer: Timer = {
    stop,
    unref() {
      if (typeof handle === 'object' && handle !== null) (handle as { unref?(): void }).unref?.()
      return timer
    },
  }
  return timer
}
