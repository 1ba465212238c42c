import type { HeldTime } from './held-time.ts'

/** Who is charged for what holds the event loop. */
export interface Spender {
  /** Takes milliseconds that nothing else could use. */
  spend(milliseconds: number): void
}

/** Measures how long requests hold the event loop. */
export interface TurnMeter {
  /** From here to the end of what runs at once, promises included, or to the next call, the spender is charged. */
  begin(spender: Spender): void
}

/** What Node.js has, and other runtimes may lack. */
declare const process: { nextTick?(work: () => void): void } | undefined

const settled = Promise.resolve()

/**
 * Creates a meter. What a request does when it is resumed by a store is not seen. Where the runtime has no `nextTick`, nothing
 * is charged.
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
