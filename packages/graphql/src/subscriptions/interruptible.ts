/** Waits for one thing at a time, and can be told to stop waiting for good. */
export interface Interruptible {
  /** As the promise, but rejects with the reason once there is one, and with `late()` after so many milliseconds. */
  wait<T>(promise: Promise<T>, deadline?: { readonly ms: number; readonly late: () => unknown }): Promise<T>
  interrupt(reason: unknown): void
}

/** A promise that lives as long as the stream would remember every race that it took part in: so there is none. */
export function createInterruptible(): Interruptible {
  let interrupted: { readonly reason: unknown } | null = null
  let stop: ((reason: unknown) => void) | null = null
  return {
    wait(promise, deadline) {
      return new Promise((resolve, reject) => {
        const timer = deadline && setTimeout(() => reject(deadline.late()), deadline.ms)
        const give = (reason: unknown): void => {
          clearTimeout(timer)
          reject(reason)
        }
        stop = give
        void promise
          .finally(() => {
            clearTimeout(timer)
            if (stop === give) stop = null
          })
          .then(resolve, reject)
        if (interrupted) give(interrupted.reason)
      })
    },
    interrupt(reason) {
      interrupted ??= { reason }
      stop?.(interrupted.reason)
    },
  }
}
