import type { HeldTime } from './held-time.ts'

/** The client that is charged for holding the event loop. */
export interface Spender {
  /** Takes milliseconds in which no other client could run. */
  spend(milliseconds: number): void
}

/** Measures how long requests hold the event loop. */
export interface TurnMeter {
  /** Charges the spender from here to the end of the synchronous work, promises included, or to the next call. */
  begin(spender: Spender): void
}

/** A function of Node.js, which other runtimes may lack. */
declare const process: { nextTick?(work: () => void): void } | undefined

const settled = Promise.resolve()

/**
 * Creates a meter. Work of a request after a store has resumed it is not measured. If the runtime has no `nextTick`,
 * all work is free.
 */
export function createTurnMeter(held: HeldTime): TurnMeter {
  const nextTick = typeof process === 'undefined' ? undefined : process.nextTick
  if (!nextTick) return { begin: () => undefined }
  let current: Spender | null = null
  let open = 0
  const end = (): void => {
    const spender = current
    current = null
    spender?.spend(held.end())
  }
  const endLast = (): void => {
    open--
    if (open === 0) end()
  }
  // Of ticks and promises the promises come last: what a promise leaves to the next tick follows all promises.
  const endAfterPromises = (): void => nextTick(endLast)
  return {
    begin(spender) {
      end()
      current = spender
      held.begin()
      open++
      void settled.then(endAfterPromises)
    },
  }
}
