import type { FailureFacts } from '@latchkey/core/internal'
import { describeFailure, pause } from '@latchkey/core/internal'

/** Work that no answer waits for, and a shutdown does: mails, rehashes, links to remove. */
export interface BackgroundWork {
  /**
   * Runs work after the response, in a later turn of the event loop. Neither its time nor its failure reveals anything
   * about an account.
   * @param onFailure receives the thrown error, and its code or its name.
   * @param delayMs the delay before the work starts.
   * @returns a promise that resolves when the work has finished, and never rejects.
   */
  run(work: () => Promise<void>, onFailure: (failed: FailureFacts) => void, delayMs?: number): Promise<void>
  /** Resolves when no work is left. */
  settled(): Promise<void>
}

/** The part of a request that background work needs. */
export interface WaitingRequest {
  /** The platform's `waitUntil`. Omitted if the process keeps running after the response. */
  waitUntil?(work: Promise<unknown>): void
}

export function createBackgroundWork(): BackgroundWork {
  const underWay = new Set<Promise<void>>()
  return {
    run(work, onFailure, delayMs = 0) {
      const done: Promise<void> = pause(delayMs)
        .then(work)
        .catch((cause: unknown) => onFailure({ failure: describeFailure(cause), cause }))
        .finally(() => underWay.delete(done))
      underWay.add(done)
      return done
    },
    async settled() {
      while (underWay.size > 0) await Promise.all(underWay)
    },
  }
}

/** Returns background work that passes each promise to the request's `waitUntil`. */
export function backgroundOf(request: WaitingRequest, background: BackgroundWork): BackgroundWork {
  return {
    run(...given) {
      const done = background.run(...given)
      request.waitUntil?.(done)
      return done
    },
    settled: background.settled,
  }
}
