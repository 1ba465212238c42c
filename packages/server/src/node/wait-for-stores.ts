import { randomFraction } from '@latchkey/bytes/internal'
import { pause } from '@latchkey/core/internal'
import { isStoreError } from '@latchkey/store'

/** How long a start waits for its stores. */
export interface StartPatience {
  readonly startMs: number
  readonly print: (line: string) => void
}

const longestPauseMs = 1000

/**
 * Creates a function that runs steps of the start, and retries them while a store does not answer, until `startMs` have
 * passed for all steps together. Processes that start together wait for the locks of an empty store.
 */
export function createStartPatience({ startMs, print }: StartPatience): <T>(step: () => Promise<T>) => Promise<T> {
  const end = performance.now() + startMs
  let printed = ''

  function report({ message }: Error): void {
    if (message === printed) return
    printed = message
    print(`Waiting for the stores, for at most ${Math.ceil((end - performance.now()) / 1000)} s: ${message}`)
  }

  return async (step) => {
    for (let pauseMs = 50; ; pauseMs = Math.min(pauseMs * 2, longestPauseMs)) {
      try {
        return await step()
      } catch (error) {
        const leftMs = end - performance.now()
        if (!isStoreError(error) || error.code !== 'STORE_UNAVAILABLE' || leftMs <= 0) throw error
        report(error)
        // Random, so that processes that have met at a lock do not meet there again.
        await pause(Math.min(pauseMs * (0.5 + randomFraction()), leftMs))
      }
    }
  }
}
