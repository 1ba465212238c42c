import { afterTurn } from './timers.ts'

/** Who comes so soon after another one, in milliseconds, is one of many. */
const soonMs = 1
/** What so many have under way at once is garbage when it is collected, and not in use; of more a good part would be copied. */
const togetherAtMost = 32

/**
 * Creates a function that joins a batch of what arrives in one turn of the event loop: work that is done for many at once, step
 * by step, takes less processor time than the same steps for one after the other. It returns `null` to a caller that comes alone
 * and may go on at once, else a promise that resolves at the end of the turn: for 32 callers together, then for the next 32.
 *
 * @param now returns milliseconds, by a clock that never goes back. @default performance.now
 */
export function createTickBatcher(now: () => number = monotonic): () => Promise<void> | null {
  let lastAt = Number.NEGATIVE_INFINITY
  let batch: Promise<void> | null = null
  let size = 0
  const open = (): Promise<void> => {
    size = 0
    const opened: Promise<void> = new Promise((resolve) => {
      afterTurn(() => {
        if (batch === opened) batch = null
        resolve()
      })
    })
    return opened
  }
  return () => {
    const at = now()
    // A clock that stands still is one of a test, which may have replaced the turns of the event loop, too.
    const isSoon = at > lastAt && at - lastAt < soonMs
    lastAt = at
    if (batch ? size === togetherAtMost : isSoon) batch = open()
    size++
    return batch
  }
}

function monotonic(): number {
  return performance.now()
}
